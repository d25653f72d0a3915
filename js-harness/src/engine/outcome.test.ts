import type { StateSnapshot } from "@langchain/langgraph";
import type { RunResult, SettleEnd } from "skein-results";
import { describe, expect, expectTypeOf, it } from "vitest";

import {
  collectInterrupts,
  resultOfSnapshot,
  statusOfSnapshot,
  type RunOutcome,
} from "./outcome.js";
import type { RunEnd } from "./settle.js";

type Task = StateSnapshot["tasks"][number];

function snapshotOf(snapshot: Partial<StateSnapshot>): StateSnapshot {
  return { values: {}, next: [], config: {}, tasks: [], ...snapshot };
}

const asking = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  name: "question",
  interrupts: [{ id: `${id}-interrupt`, value: "Really?" }],
  ...more,
});

describe("the result of a run", () => {
  it("is one type for the engine's outcome, for what it settles and for what is captured", () => {
    type Finished<End> = Extract<End, { end: "finished" }>;
    expectTypeOf<NonNullable<RunOutcome["result"]>>().toEqualTypeOf<RunResult>();
    expectTypeOf<Finished<RunEnd>["result"]>().toEqualTypeOf<RunResult>();
    expectTypeOf<Finished<SettleEnd>["result"]>().toEqualTypeOf<RunResult>();
    expectTypeOf(resultOfSnapshot).returns.toEqualTypeOf<RunResult>();
  });

  it("leaves out what there is none of", () => {
    expect(resultOfSnapshot(snapshotOf({ values: { value: 1 } }), undefined)).toEqual({
      values: { value: 1 },
    });
  });

  it.each([undefined, null, false, 0, ""])("has a declared reply that is %j", (reply) => {
    expect(resultOfSnapshot(snapshotOf({}), { reply })).toHaveProperty("reply", reply);
  });

  it("takes the coordinates of the checkpoint, and no more, from the snapshot", () => {
    const config = {
      configurable: {
        thread_id: "thread",
        checkpoint_id: "checkpoint",
        checkpoint_map: { "": "checkpoint" },
        langgraph_auth_user: { identity: "somebody" },
      },
    };

    expect(resultOfSnapshot(snapshotOf({ config }), undefined).checkpoint).toEqual({
      thread_id: "thread",
      checkpoint_ns: "",
      checkpoint_id: "checkpoint",
      checkpoint_map: { "": "checkpoint" },
    });
  });
});

describe("the questions of a snapshot", () => {
  it("stand under the task that asks", () => {
    const tasks = [asking("a"), { id: "b", name: "other", interrupts: [] }, asking("c")];

    expect(collectInterrupts(snapshotOf({ tasks }))).toEqual({
      a: [{ id: "a-interrupt", value: "Really?" }],
      c: [{ id: "c-interrupt", value: "Really?" }],
    });
  });

  it("do not include one that was answered while another still waits", () => {
    const tasks = [asking("answered", { result: { ok: true } }), asking("open")];

    expect(Object.keys(collectInterrupts(snapshotOf({ tasks })))).toEqual(["open"]);
  });
});

describe("the status of a snapshot", () => {
  it("is interrupted while a node has still to run", () => {
    expect(statusOfSnapshot(snapshotOf({ next: ["question"] }))).toBe("interrupted");
    expect(statusOfSnapshot(snapshotOf({ next: [] }))).toBe("success");
  });
});

import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openHost, type Host } from "../host.js";
import type { MultitaskStrategy, ThreadExecutionGate } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import type { SubmittedRun } from "./admission.js";
import { memory, sqlite, type HostPlace } from "./testing/hosts.js";
import { Gate, withRuns } from "./testing/store-wrappers.js";
import { ThreadLocks } from "./thread-locks.js";

const mark = (root: string) => ({ root, turn: 0, message: null });

describe.each([memory, sqlite])("a run on a busy thread of $name", (kind) => {
  let host: Host;
  let place: HostPlace;
  let threadId: string;

  beforeEach(async () => {
    place = await kind.prepare();
    host = await place.open();
    threadId = (await host.services().threads.create()).thread_id;
  });
  afterEach(async () => {
    await host.close();
    await place.remove();
  });

  const submit = (
    assistantId: string,
    input: unknown,
    multitaskStrategy?: MultitaskStrategy,
  ): Promise<SubmittedRun> => {
    const request = { threadId, assistantId, input };
    const strategy = multitaskStrategy === undefined ? {} : { multitaskStrategy };
    return host.services().runs.submit({ ...request, ...strategy }, { mark });
  };
  const submitSlow = async (): Promise<SubmittedRun> => {
    const submitted = await submit("slow-echo", { value: "slow" });
    await expect.poll(async () => (await rowOf(submitted))?.status).toBe("running");
    return submitted;
  };
  const idsOfHistory = async () =>
    (await host.services().threads.history(threadId, { limit: 100 })).map(
      ({ checkpoint }) => checkpoint.checkpoint_id,
    );
  const rowOf = ({ run }: SubmittedRun) => host.store.runs.get(run.run_id);
  const resultOf = ({ run }: SubmittedRun) => host.store.runs.getResult?.(run.run_id);

  it("is refused unless it says otherwise, and changes nothing", async () => {
    const slow = await submitSlow();

    await expect(submit("echo", { value: "next" })).rejects.toMatchObject({ status: 422 });

    expect(await host.store.runs.listByThread(threadId)).toHaveLength(1);
    expect(await rowOf(slow)).toMatchObject({ status: "running" });
  });

  it("waits its turn if it asks to be enqueued, in the order of admission", async () => {
    const first = await submit("slow-echo", { value: "a", milliseconds: 50 });
    const rest = [
      await submit("echo", { value: "b" }, "enqueue"),
      await submit("echo", { value: "c" }, "enqueue"),
    ];
    const ended: string[] = [];
    const endOf = ({ run, outcome }: SubmittedRun) => outcome.then(() => ended.push(run.run_id));
    await Promise.all([...rest, first].map(endOf));

    expect(ended).toEqual([first, ...rest].map(({ run }) => run.run_id));
    for (const [index, value] of ["a", "b", "c"].entries()) {
      const submitted = [first, ...rest][index];
      expect(submitted && (await resultOf(submitted))?.values).toMatchObject({
        value: `echo: ${value}`,
      });
    }
  });

  it("displaces what runs if it interrupts, and the displaced run has no result", async () => {
    const slow = await submitSlow();

    const next = await submit("echo", { value: "next" }, "interrupt");

    expect(await slow.outcome).toEqual({ status: "interrupted" });
    expect(await next.outcome).toMatchObject({ status: "success" });
    expect(await rowOf(slow)).toMatchObject({ status: "interrupted" });
    expect(await resultOf(slow)).toBeNull();
  });

  it("undoes what runs if it rolls back: no checkpoint and no row of it is left", async () => {
    await (
      await submit("echo", { value: "before" })
    ).outcome;
    const before = await idsOfHistory();
    const slow = await submitSlow();
    await expect.poll(async () => (await idsOfHistory()).length).toBe(before.length + 2);
    const slowOnes = (await idsOfHistory()).slice(0, 2);

    const next = await submit("echo", { value: "next" }, "rollback");
    await next.outcome;

    expect(await rowOf(slow)).toBeNull();
    expect(await resultOf(slow)).toBeNull();
    const after = await idsOfHistory();
    expect(after.slice(-before.length)).toEqual(before);
    expect(after.filter((id) => slowOnes.includes(id))).toEqual([]);
    expect(await resultOf(next)).toMatchObject({ values: { value: "echo: next" } });
  });

  it("never executes if it is cancelled while it waits, and answers at once", async () => {
    const slow = await submitSlow();
    const waiting = await submit("echo", { value: "waiting" }, "enqueue");

    const cancelled = await host.services().runs.cancel(waiting.run.run_id);

    expect(cancelled.status).toBe("cancelled");
    expect(await waiting.outcome).toBeNull();
    expect(await host.services().runs.wait(waiting.run.run_id)).toMatchObject({
      status: "cancelled",
    });
    expect(await rowOf(slow)).toMatchObject({ status: "running" });
  });
});

describe("a run that displaces one which another host is setting out with", () => {
  it("takes back what that one writes before it hears of it", async () => {
    const { store } = openMemoryStore();
    const saver = new MemorySaver();
    const locks = new ThreadLocks();
    const gate: ThreadExecutionGate = {
      acquire: (threadId) =>
        new Promise((claimed) => {
          const held = (): Promise<void> =>
            new Promise((release) => {
              claimed({ release: () => Promise.resolve().then(release) });
            });
          void locks.run(threadId, held);
        }),
    };
    const settingOut = new Gate();
    const held = withRuns(store, (runs) => ({
      recordBaseCheckpoint: async (...base) => {
        await settingOut.pass();
        await runs.recordBaseCheckpoint(...base);
      },
    }));
    const options = { saver, gate, log: () => undefined };
    const [one, other] = [
      await openHost({ ...options, store: held }),
      await openHost({ ...options, store }),
    ];
    const { thread_id: threadId } = await one.services().threads.create();
    const request = { threadId, assistantId: "echo", input: { value: "displaced" } };
    const displaced = await one.services().runs.submit(request);
    await settingOut.reached;

    const next = await other.services().runs.submit({
      ...{ ...request, input: { value: "next" } },
      multitaskStrategy: "rollback",
    });
    settingOut.open();

    expect(await displaced.outcome).toEqual({ status: "cancelled" });
    expect(await next.outcome).toMatchObject({ status: "success" });
    const history = await other.services().threads.history(threadId, { limit: 100 });
    expect(JSON.stringify(history)).not.toContain("displaced");
    expect(await store.runs.get(displaced.run.run_id)).toBeNull();
    await one.close();
    await other.close();
  });
});

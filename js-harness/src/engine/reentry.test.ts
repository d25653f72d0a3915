import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";

import { openHost } from "../host.js";
import type { RunStatus, SkeinStore } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import { inTwoSteps, withRuns, withThreads } from "./testing/store-wrappers.js";

const mark = (root: string) => ({ root, turn: 0, message: null });

/** A store whose threads cannot show a state, so that a run fails right after it was settled. */
function withBrokenMirror(store: SkeinStore): SkeinStore {
  return withThreads(store, (threads) => ({
    update: (threadId, patch) =>
      patch.values === undefined
        ? threads.update(threadId, patch)
        : Promise.reject(new Error("The thread's row is out of reach.")),
  }));
}

describe.each([
  ["in one write", (store: SkeinStore) => store],
  ["in two steps", inTwoSteps],
])("a run that is settled %s and then cannot be shown", (_name, variant) => {
  it("keeps its status and its result when the engine settles it again", async () => {
    const settles: RunStatus[] = [];
    const store = withRuns(variant(withBrokenMirror(openMemoryStore().store)), (runs) => ({
      setStatus: (runId, status, error) => {
        settles.push(status);
        return runs.setStatus(runId, status, error);
      },
      ...(runs.startRun && {
        startRun: (runId) => {
          settles.push("running");
          return runs.startRun?.(runId) ?? Promise.resolve(null);
        },
      }),
      ...(runs.settleRun && {
        settleRun: (runId, settle) => {
          settles.push(settle.status);
          return runs.settleRun?.(runId, settle) ?? Promise.resolve(null);
        },
      }),
    }));
    const messages: string[] = [];
    const log = (message: string) => void messages.push(message);
    const host = await openHost({ store, saver: new MemorySaver(), log });
    const { runs, threads } = host.services();
    const { thread_id } = await threads.create();

    const request = { threadId: thread_id, assistantId: "echo", input: { value: "first" } };
    const { run, outcome } = await runs.submit(request, { mark });

    expect(await outcome).toMatchObject({
      status: "success",
      result: { values: { value: "echo: first" } },
    });
    const ended = await runs.get(run.run_id);
    expect(ended).toMatchObject({ status: "success" });
    expect(ended).not.toHaveProperty("error");
    expect(await store.runs.getResult?.(run.run_id)).toMatchObject({
      values: { value: "echo: first" },
    });
    // The second settle asks for an error, and must not be written. The start is no end.
    expect(settles.filter((status) => status !== "running")).toEqual(["success"]);
    // The thread is free, although it could not show the state.
    expect((await threads.get(thread_id)).status).toBe("idle");
    expect(messages).toHaveLength(1);
    await host.close();
  });
});

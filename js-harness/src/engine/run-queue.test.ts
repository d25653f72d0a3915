import { describe, expect, it } from "vitest";

import type { Run } from "../stores/contract.js";
import { newRun } from "../stores/new-rows.js";

import { RunQueue } from "./run-queue.js";
import { Gate } from "./testing/store-wrappers.js";

const run = (run_id: string, thread_id: string): Run =>
  newRun({ run_id, thread_id, assistant_id: "echo" });

/** A queue whose executions stop at a gate each, and the order in which they began. */
function gatedQueue(concurrency: number) {
  const gates = new Map<string, Gate>();
  const began: string[] = [];
  const failures: string[] = [];
  const gateOf = (runId: string): Gate => {
    const gate = gates.get(runId) ?? new Gate();
    gates.set(runId, gate);
    return gate;
  };
  const queue = new RunQueue({
    concurrency,
    execute: async ({ run_id: runId }) => {
      began.push(runId);
      await gateOf(runId).pass();
      if (runId === "broken") throw new Error("The store is gone.");
      return { status: "success" };
    },
    onFailure: (runId) => failures.push(runId),
  });
  return { queue, began, failures, open: (runId: string) => gateOf(runId).open() };
}

describe("the run queue", () => {
  it("executes one run of a thread at a time, in the order they came", async () => {
    const { queue, began, open } = gatedQueue(5);
    const first = queue.push(run("a1", "a"));
    const second = queue.push(run("a2", "a"));

    expect(began).toEqual(["a1"]);
    open("a1");
    await first;
    open("a2");
    await second;

    expect(began).toEqual(["a1", "a2"]);
  });

  it("lends no worker to a run that waits for its thread", async () => {
    const { queue, began, open } = gatedQueue(2);
    const outcomes = [
      queue.push(run("a1", "a")),
      queue.push(run("a2", "a")),
      queue.push(run("b1", "b")),
    ];

    expect(began).toEqual(["a1", "b1"]);
    for (const runId of ["a1", "a2", "b1"]) open(runId);
    await Promise.all(outcomes);
  });

  it("gives every thread its turn, however long the line on another", async () => {
    const { queue, began, open } = gatedQueue(1);
    const outcomes = ["a1", "a2", "a3"].map((runId) => queue.push(run(runId, "a")));
    outcomes.push(queue.push(run("b1", "b")));
    for (const runId of ["a1", "a2", "a3", "b1"]) open(runId);
    await Promise.all(outcomes);

    expect(began).toEqual(["a1", "a2", "b1", "a3"]);
  });

  it("does not execute what was withdrawn, and can withdraw only what waits", async () => {
    const { queue, began, open } = gatedQueue(1);
    const first = queue.push(run("a1", "a"));
    const second = queue.push(run("a2", "a"));

    expect(queue.withdraw("a1")).toBe(false);
    expect(queue.withdraw("a2")).toBe(true);
    expect(await second).toBeNull();
    expect(queue.has("a2")).toBe(false);
    open("a1");
    await first;

    expect(began).toEqual(["a1"]);
  });

  it("goes on after an execution that failed, and tells of it", async () => {
    const { queue, failures, open } = gatedQueue(1);
    const broken = queue.push(run("broken", "a"));
    const next = queue.push(run("a2", "a"));
    open("broken");
    open("a2");

    await expect(broken).rejects.toThrow("The store is gone.");
    expect(await next).toEqual({ status: "success" });
    expect(failures).toEqual(["broken"]);
  });

  it("begins nothing when it is closed, and waits for what executes", async () => {
    const { queue, began, open } = gatedQueue(1);
    const first = queue.push(run("a1", "a"));
    const second = queue.push(run("a2", "a"));
    const closed = queue.close();
    open("a1");
    await closed;

    expect(await first).toEqual({ status: "success" });
    expect(await second).toBeNull();
    expect(await queue.push(run("a3", "a"))).toBeNull();
    expect(began).toEqual(["a1"]);
  });
});

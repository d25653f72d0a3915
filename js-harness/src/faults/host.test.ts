// A store that hangs, or fails, in the middle of one run: the run ends with what happened, its thread
// serves the next turn, and no other run has noticed.

import { describe, expect, it } from "vitest";

import { inTwoSteps, withRuns } from "../engine/testing/store-wrappers.js";
import { openMemoryHost, type Host } from "../host.js";
import type { RunRepo, SkeinStore } from "../stores/contract.js";

/** What the engine asks of the store in the life of a run. */
const ASKED = ["startRun", "passOverPaused", "settleRun", "recordResult"] as const;
type Asked = (typeof ASKED)[number];

interface Fault {
  store: (store: SkeinStore) => SkeinStore;
  /** That the method was reached. */
  reached: Promise<void>;
}

/** The first call of a method does what the fault does, all others go through. */
function faultOnce(method: Asked, fault: () => Promise<never>): Fault {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  let isOver = false;
  const replace = (runs: RunRepo): Partial<RunRepo> => {
    const own = runs[method]?.bind(runs) as ((...given: unknown[]) => Promise<never>) | undefined;
    const replaced = (...given: unknown[]): Promise<never> => {
      if (isOver && own) return own(...given);
      isOver = true;
      reach();
      return fault();
    };
    return { [method]: replaced };
  };
  const support = method === "recordResult" ? inTwoSteps : (store: SkeinStore) => store;
  return { store: (store) => withRuns(support(store), replace), reached };
}

async function newThread(host: Host): Promise<string> {
  return (await host.services().threads.create()).thread_id;
}

async function submitOn(host: Host, threadId: string) {
  const request = { threadId, assistantId: "echo", input: { value: "in" } };
  const mark = (root: string) => ({ root, turn: 0, message: null });
  return host.services().runs.submit(request, { mark });
}

/** How another turn ends. */
async function turnOn(host: Host, threadId: string): Promise<string | undefined> {
  const { outcome } = await submitOn(host, threadId);
  return (await outcome)?.status;
}

describe.each(ASKED)("a store's %s", (method) => {
  it("that hangs until it is aborted holds nothing but its own run", async () => {
    const hanging = new AbortController();
    const { signal } = hanging;
    const hang = () =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const { store, reached } = faultOnce(method, hang);
    const host = await openMemoryHost({ storeSeen: store, concurrency: 2, log: () => undefined });
    const [held, free] = [await newThread(host), await newThread(host)];
    let hasEnded = false;
    const { outcome } = await submitOn(host, held);
    void outcome.then(() => (hasEnded = true));
    await reached;

    for (let turn = 0; turn < 3; turn += 1) {
      expect(await turnOn(host, free)).toBe("success");
    }
    expect(hasEnded).toBe(false);

    hanging.abort();
    expect(await outcome).toMatchObject({ status: "error" });
    expect(await turnOn(host, held)).toBe("success");
    await host.close();
  });

  it("that fails ends the run with what it said, and the thread is free", async () => {
    const { store } = faultOnce(method, () => Promise.reject(new Error("the disk is on fire")));
    const host = await openMemoryHost({ storeSeen: store, log: () => undefined });
    const threadId = await newThread(host);
    const { run, outcome } = await submitOn(host, threadId);

    expect(await outcome).toMatchObject({ status: "error" });
    const row = await host.services().runs.get(run.run_id);
    expect(row.status).toBe("error");
    expect(JSON.stringify(row.error)).toContain("the disk is on fire");
    expect(await host.store.runs.getResult?.(run.run_id)).toBeNull();
    expect(await turnOn(host, threadId)).toBe("success");
    await host.close();
  });
});

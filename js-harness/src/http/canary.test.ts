// Contract 6: a result, its mark and its lineage are in no ordinary answer. Each run here has a result
// that its graph never made, full of a canary; so wherever the canary shows, the result has leaked.

import { once } from "node:events";
import { createServer, type Server } from "node:http";

import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { RunMark, RunResult } from "skein-results";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { a2aMount } from "../a2a/mount.js";
import { withRuns } from "../engine/testing/store-wrappers.js";
import { openHost, type Host } from "../host.js";
import { call } from "../interop/testing/json-rpc.js";
import { storeKinds, type StorePlace } from "../stores/testing/store-places.js";

const CANARY = "canary-7f3a";
const RESULT: RunResult = {
  values: { value: CANARY, [CANARY]: 1 },
  interrupts: { [CANARY]: [{ id: CANARY, value: CANARY }] },
  reply: CANARY,
  checkpoint: {
    thread_id: CANARY,
    checkpoint_ns: CANARY,
    checkpoint_id: CANARY,
    checkpoint_map: null,
  },
};
/** The names under which a result or a mark is stored. */
const STORED_NAMES = /result_(values|interrupts|reply|checkpoint)|skein_task|"(root|turn|kwargs)":/;

describe.each(storeKinds)("a canary in the results of $name", (kind) => {
  let place: StorePlace;
  let host: Host;
  let url: string;
  let receiver: Server;
  let webhook: string;
  const announced: string[] = [];
  const logged: string[] = [];
  beforeEach(async () => {
    place = await kind.open();
    receiver = createServer((request, response) => {
      request.setEncoding("utf8");
      let body = "";
      request.on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        announced.push(body);
        response.end();
      });
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const address = receiver.address();
    webhook = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}/hook`;
    // The first result stays, and this one comes before the engine's own.
    const store = withRuns(place.store, () => ({
      settleRun: async (runId, settle) => {
        await place.store.runs.recordResult(runId, RESULT);
        return place.store.runs.settleRun(runId, settle);
      },
    }));
    for (const method of ["log", "info", "warn", "error"] as const) {
      vi.spyOn(console, method).mockImplementation((...told) => logged.push(JSON.stringify(told)));
    }
    host = await openHost({
      store: { ...store, durable: false },
      saver: new MemorySaver(),
      mount: a2aMount({ assistantId: "echo" }),
      log: (message, error) => logged.push(`${message} ${inspected(error)}`),
    });
    ({ url } = await host.listen());
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await host.close();
    receiver.close();
    await place.close();
  });

  const mark = (root: string): RunMark => ({ root, turn: 0, message: `"${CANARY}"` });
  const marked = async (threadId: string, assistantId: string) => {
    const request = { threadId, assistantId, input: { value: "first" }, webhook };
    const { run, outcome } = await host.services().runs.submit(request, { mark });
    await outcome;
    return run;
  };
  const read = async (method: string, path: string, body?: object): Promise<string> => {
    const response = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return response.text();
  };

  it("shows in no run, list, search, stream, state, announcement or log", async () => {
    announced.length = logged.length = 0;
    const { thread_id } = await host.services().threads.create();
    const modes = ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"];
    const runs = [];
    for (const graph of ["echo", "reply", "failing", "ask"]) {
      runs.push(await marked(thread_id, graph));
    }
    const thread = `/threads/${thread_id}`;
    const start = { assistant_id: "echo", input: { value: "second" }, webhook };

    const texts = [
      ...(await Promise.all(
        runs.flatMap(({ run_id }) => [
          read("GET", `${thread}/runs/${run_id}`),
          read("GET", `${thread}/runs/${run_id}/join`),
          read("GET", `${thread}/runs/${run_id}/stream`),
          read("POST", `${thread}/runs/${run_id}/cancel`),
        ]),
      )),
      await read("GET", thread),
      await read("GET", `${thread}/runs`),
      await read("GET", `${thread}/runs?status=success`),
      await read("GET", `${thread}/state`),
      await read("GET", `${thread}/history`),
      await read("POST", "/threads/search", { limit: 100 }),
      await read("POST", "/threads/count", {}),
      await read("POST", "/assistants/search", { limit: 100 }),
      await read("POST", `${thread}/runs`, start),
      await read("POST", `${thread}/runs/wait`, { ...start, multitask_strategy: "enqueue" }),
      await read("POST", `${thread}/runs/stream`, { ...start, stream_mode: modes }),
      await read("POST", `${thread}/runs/stream`, { ...start, stream_mode: modes.slice(0, 4) }),
      await read("POST", "/runs/batch", [start, start]),
      await read("POST", `${thread}/copy`),
      await read("POST", "/threads/prune", { thread_ids: [thread_id], strategy: "keep_latest" }),
      await read("GET", "/no/such/path"),
    ];
    await expect.poll(() => announced.length).toBeGreaterThan(runs.length);

    expect(await place.store.runs.getResult(String(runs[0]?.run_id))).toEqual(RESULT);
    for (const text of [...texts, ...announced, ...logged]) {
      expect(text).not.toContain(CANARY);
    }
    for (const text of [...texts, ...announced]) expect(text).not.toMatch(STORED_NAMES);
    expect(logged.join()).toContain("failed");
  });

  it("shows in the task, and in the snapshot's own member", async () => {
    const { thread_id } = await host.services().threads.create();
    const run = await marked(thread_id, "echo");

    const { text } = await call(url, "GetTask", { id: run.run_id });
    const { results, runKwargs, ...rows } = await place.store.snapshot();

    expect(text).toContain(CANARY);
    expect(JSON.stringify(results)).toContain(CANARY);
    expect(JSON.stringify(runKwargs)).toContain(CANARY);
    expect(JSON.stringify(rows)).not.toContain(CANARY);
  });

  it("does not show in a task that failed or was cancelled although it had a result", async () => {
    const { thread_id } = await host.services().threads.create();
    const failed = await marked(thread_id, "failing");
    const pending = { thread_id, assistant_id: "echo", kwargs: {} };
    const cancelled = await place.store.runs.create(pending);
    await place.store.runs.recordResult(cancelled.run_id, RESULT);
    await place.store.runs.cancelRun(cancelled.run_id);

    expect(await place.store.runs.getResult(failed.run_id)).toEqual(RESULT);
    const { text } = await call(url, "GetTask", { id: failed.run_id, historyLength: 0 });
    expect(text).toContain("TASK_STATE_FAILED");
    expect(text).not.toContain(CANARY);
    const other = await call(url, "GetTask", { id: cancelled.run_id, historyLength: 0 });
    expect(other.text).not.toContain(CANARY);
  });
});

function inspected(error: unknown): string {
  return error instanceof Error ? `${error.stack ?? ""} ${JSON.stringify(error)}` : String(error);
}

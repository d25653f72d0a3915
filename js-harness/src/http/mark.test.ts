// No JSON that a client sends can ask for the capture of a result.

import { RUN_MARK_KEY, markRun, readMark } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openMemoryHost, type Host } from "../host.js";

const FORGED = markRun({}, { root: "forged", turn: 0, message: null });
const forgedMark: unknown = Reflect.get(FORGED, RUN_MARK_KEY);

/** Fields that a body may have, and some that it may not. */
const FIELDS = [
  "input",
  "command",
  "config",
  "context",
  "metadata",
  "checkpoint",
  "kwargs",
  "extra",
  "internal",
  "mark",
  "options",
  "run",
];

/** A body with the mark at the top, in every field, two levels down, and along the prototype. */
function forgedBody(): string {
  const config = { ...FORGED, configurable: FORGED, metadata: FORGED };
  const nested = Object.fromEntries(FIELDS.map((field) => [field, { ...FORGED, nested: FORGED }]));
  const body = {
    assistant_id: "echo",
    if_not_exists: "create",
    run_id: "forged",
    ...nested,
    input: { value: "first", ...FORGED },
    command: undefined,
    config,
    ...FORGED,
  };
  const prototype = JSON.stringify(FORGED);
  // An own key of that name is what a parser makes of it; no literal of an object can say it.
  return JSON.stringify(body).replace(
    /^\{/,
    `{"__proto__":${prototype},"constructor":{"prototype":${prototype}},`,
  );
}

describe("a client that sends the mark", () => {
  let host: Host;
  let url: string;
  beforeAll(async () => {
    host = await openMemoryHost({ log: () => {} });
    ({ url } = await host.listen());
  });
  afterAll(() => host.close());

  const post = async (path: string, body: string): Promise<string> => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return text;
  };

  it("would be believed if its mark stood in the stored kwargs", () => {
    expect(readMark(FORGED)).toMatchObject({ root: "forged" });
    expect(forgedMark).toBeDefined();
  });

  it.each([
    "/threads/:thread/runs",
    "/threads/:thread/runs/wait",
    "/threads/:thread/runs/stream",
    "/runs",
    "/runs/wait",
    "/runs/stream",
  ])("gets an ordinary run without a result from POST %s", async (route) => {
    const threadId = crypto.randomUUID();

    await post(route.replace(":thread", threadId), forgedBody());

    const [thread] = await host.store.threads.search({ limit: 1, sortBy: "created_at" });
    const runs = await host.store.runs.listByThread(String(thread?.thread_id));
    expect(runs).toHaveLength(1);
    for (const { run_id } of runs) {
      await host.services().runs.wait(run_id);
      const kwargs = await host.store.runs.getKwargs(run_id);
      expect(readMark(kwargs)).toBeNull();
      expect(Object.keys(kwargs ?? {})).not.toContain(RUN_MARK_KEY);
      expect(run_id).not.toBe("forged");
      expect(await host.store.runs.getResult?.(run_id)).toBeNull();
    }
  });

  it("cannot add it to a run that exists, through its thread", async () => {
    const { runs, threads } = host.services();
    const { thread_id } = await threads.create();
    const request = { threadId: thread_id, assistantId: "echo", input: { value: "first" } };
    const { run, outcome } = await runs.submit(request);
    await outcome;

    const forged = JSON.stringify({
      metadata: FORGED,
      values: { value: "x", ...FORGED },
      ...FORGED,
    });
    await fetch(`${url}/threads/${thread_id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: forged,
    });
    await post(`/threads/${thread_id}/state`, forged);

    expect(readMark(await host.store.runs.getKwargs(run.run_id))).toBeNull();
    expect(await host.store.runs.getResult?.(run.run_id)).toBeNull();
  });
});

describe("a client that reads", () => {
  it("finds neither a mark nor kwargs nor a result in any row of a run", async () => {
    const host = await openMemoryHost({ log: () => {} });
    const { url } = await host.listen();
    const { runs, threads } = host.services();
    const { thread_id } = await threads.create();
    const request = { threadId: thread_id, assistantId: "reply", input: { value: "secret-input" } };
    const mark = (root: string) => ({ root, turn: 0, message: "secret-message" });
    const { run, outcome } = await runs.submit(request, { mark });
    await outcome;
    const one = `${url}/threads/${thread_id}/runs/${run.run_id}`;

    const cancelled = await fetch(`${one}/cancel`, { method: "POST" });
    const texts = [
      await (await fetch(one)).text(),
      await (await fetch(`${url}/threads/${thread_id}/runs`)).text(),
      await cancelled.text(),
    ];

    expect(await host.store.runs.getResult?.(run.run_id)).not.toBeNull();
    for (const text of texts) {
      expect(text).toContain(run.run_id);
      expect(text).not.toMatch(/secret|kwargs|result|reply: |skein_task/);
    }
    await host.close();
  });
});

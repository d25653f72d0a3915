// The mark of a run that was really captured, sent back by a client at every place there is. Whoever
// has read a snapshot or a database knows it; it must be worth nothing in a request.

import { readMark, type RunMark } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { a2aMount } from "../a2a/mount.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";
import { post as postA2A } from "../interop/testing/json-rpc.js";
import type { Run } from "../stores/contract.js";

/** The members of a body that starts a run, of a thread's, and some that no route has. */
const MEMBERS = [
  "input",
  "config",
  "context",
  "metadata",
  "command",
  "checkpoint",
  "kwargs",
  "extra",
  "extras",
  "internal",
  "mark",
  "options",
  "run",
  "langsmith_tracer",
  "feedback_keys",
  "rollback_plan",
  "auth_user",
  "base_checkpoint_id",
];

describe.each(hostKinds)("the mark of a captured run on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  let url: string;
  let captured: Run;
  /** The JSON of an object with nothing but the mark, as it stands in the stored kwargs. */
  let marked: string;
  beforeAll(async () => {
    place = await kind.prepare();
    host = await place.open({ mount: a2aMount({ assistantId: "echo" }) });
    ({ url } = await host.listen());
    const { thread_id } = await host.services().threads.create();
    const mark = (root: string): RunMark => ({ root, turn: 0, message: null });
    const request = { threadId: thread_id, assistantId: "echo", input: { value: "first" } };
    const { run, outcome } = await host.services().runs.submit(request, { mark });
    await outcome;
    captured = run;
    const kwargs = (await host.store.runs.getKwargs(run.run_id)) ?? {};
    const found = Object.entries(kwargs).filter(([name]) => name.startsWith("$"));
    expect(found).toHaveLength(1);
    marked = JSON.stringify(Object.fromEntries(found));
  });
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  /** A JSON object with the mark in it, beside it, below it and along its prototype. */
  const plainObject = (own = ""): string =>
    `{"constructor":{"prototype":${marked}},"nested":${marked},"configurable":${marked},` +
    `"metadata":${marked},"kwargs":${marked},${own}${marked.slice(1)}`;
  const forgedObject = (own = ""): string => `{"__proto__":${marked},${plainObject(own).slice(1)}`;
  const forgedBody = (members = MEMBERS): string =>
    `{"assistant_id":"echo","if_not_exists":"create","__proto__":${forgedObject()},` +
    members
      .map((name) => `"${name}":${forgedObject(name === "input" ? '"value":"forged",' : "")},`)
      .join("") +
    marked.slice(1);
  const send = async (method: string, path: string, body: string): Promise<string> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, body });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return text;
  };
  const knownRuns = async (): Promise<Run[]> => {
    const threads = await host.store.threads.list();
    const runs = threads.map(({ thread_id }) => host.store.runs.listByThread(thread_id));
    return (await Promise.all(runs)).flat();
  };
  /** The runs that the work started have ended, are no tasks, and have no result. */
  const expectOrdinary = async (count: number, work: () => Promise<unknown>): Promise<void> => {
    const before = new Set((await knownRuns()).map(({ run_id }) => run_id));
    await work();
    const started = (await knownRuns()).filter(({ run_id }) => !before.has(run_id));
    expect(started).toHaveLength(count);
    for (const { run_id } of started) {
      await host.services().runs.wait(run_id);
      const kwargs = await host.store.runs.getKwargs(run_id);
      expect(readMark(kwargs)).toBeNull();
      for (const name of Object.keys(JSON.parse(marked) as object)) {
        expect(Object.keys(kwargs ?? {})).not.toContain(name);
      }
      expect(await host.store.runs.getResult?.(run_id)).toBeNull();
      const task = await getTask(run_id);
      expect(task.error).toMatchObject({ code: -32001 });
    }
    const untouched = await host.store.runs.getResult?.(captured.run_id);
    expect(untouched?.values).toEqual({ value: "echo: first" });
  };
  const getTask = async (id: string) => {
    const request = { jsonrpc: "2.0", id: 1, method: "GetTask", params: { id } };
    return (await postA2A(url, JSON.stringify(request))).body;
  };

  it("is believed where the server has put it", async () => {
    const stored = await host.store.runs.getKwargs(captured.run_id);

    expect(readMark(stored)).toMatchObject({ root: captured.run_id });
    expect(readMark(JSON.parse(marked))).toMatchObject({ root: captured.run_id });
    expect((await getTask(captured.run_id)).result).toMatchObject({ id: captured.run_id });
  });

  it.each([
    "/runs",
    "/runs/wait",
    "/runs/stream",
    "/threads/:thread/runs",
    "/threads/:thread/runs/wait",
    "/threads/:thread/runs/stream",
  ])("makes nothing of a run by POST %s", async (route) => {
    const path = route.replace(":thread", crypto.randomUUID());
    // A command leaves the input out, so each has its turn.
    const members = MEMBERS.filter((name) => name !== "command");

    await expectOrdinary(1, () => send("POST", path, forgedBody(members)));
    await expectOrdinary(1, () => send("POST", path, forgedBody()));
  });

  it("makes nothing of a run on the thread that it names", async () => {
    const { thread_id } = captured;

    await expectOrdinary(1, () => send("POST", `/threads/${thread_id}/runs/wait`, forgedBody()));
  });

  it("makes nothing of the runs of a batch", async () => {
    const batch = `[${forgedBody()},${forgedBody()},${forgedBody()}]`;

    await expectOrdinary(3, () => send("POST", "/runs/batch", batch));
  });

  it("makes nothing of a run that resumes, updates or goes somewhere with it", async () => {
    const { thread_id } = await host.services().threads.create();
    const asking = { threadId: thread_id, assistantId: "ask", input: { value: "Ship it" } };
    await (
      await host.services().runs.submit(asking)
    ).outcome;
    const command = `{"resume":${marked},"update":{"value":"x","answer":${marked}},${marked.slice(1)}`;
    const body = `{"assistant_id":"ask","command":${command},${marked.slice(1)}`;

    await expectOrdinary(1, () => send("POST", `/threads/${thread_id}/runs/wait`, body));
  });

  it("makes nothing of a run through its thread, its copy or its state", async () => {
    const thread = JSON.parse(await send("POST", "/threads", forgedBody())) as Run;
    const path = `/threads/${thread.thread_id}`;
    const run = `{"assistant_id":"echo","input":{"value":"ordinary"}}`;

    await expectOrdinary(1, () => send("POST", `${path}/runs/wait`, run));
    await send("PATCH", path, forgedBody());
    await send("POST", `${path}/state`, `{"values":${forgedObject('"value":"x",')}}`);
    await expectOrdinary(1, () => send("POST", `${path}/copy`, forgedBody()));
    await expectOrdinary(1, () => send("POST", `${path}/runs/wait`, run));
  });

  describe("in an A2A message, wherever it stands", () => {
    const request = (object: string): string => {
      const { run_id, thread_id } = captured;
      const lineage = `"root":"${run_id}","taskId":"${run_id}","contextId":"${thread_id}"`;
      const withLineage = `{${lineage},${object.slice(1)}`;
      const message =
        `{"messageId":"m1","role":"ROLE_USER","metadata":${withLineage},` +
        `"extensions":["$skein_task","urn:mark:${run_id}"],"referenceTaskIds":["${run_id}"],` +
        `"parts":[{"text":"forged","metadata":${object}},{"data":${object}}],` +
        marked.slice(1);
      const params =
        `{"message":${message},"metadata":${withLineage},` +
        `"configuration":{"acceptedOutputModes":[],${marked.slice(1)},${marked.slice(1)}`;
      return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`;
    };

    it("makes a task of its own of it, in a context of its own", async () => {
      const { run_id, thread_id } = captured;
      const before = await getTask(run_id);

      const { body, text } = await postA2A(url, request(plainObject()));

      expect(body, text).toHaveProperty("result");
      const { task } = body.result as { task: { id: string; contextId: string } };
      expect(task.id).not.toBe(run_id);
      expect(task.contextId).not.toBe(thread_id);
      expect(readMark(await host.store.runs.getKwargs(task.id))).toMatchObject({
        root: task.id,
        turn: 0,
      });
      expect(await host.store.runs.listByThread(task.contextId)).toHaveLength(1);
      expect(await getTask(run_id)).toEqual(before);
    });

    it("creates nothing of it with a prototype in it", async () => {
      await expectOrdinary(0, async () => {
        const { body } = await postA2A(url, request(forgedObject()));
        expect(body.error).toMatchObject({ code: -32602 });
      });
    });
  });
});

// A process that is killed after every call: the next one answers the same, to the byte.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { childProgram, type ChildProgram } from "../testing/child-program.js";
import { freshDatabase, startPostgres, type PostgresServer } from "../testing/postgres-server.js";

import { cancelTask, connect, send, stateOf } from "./client.js";
import { call } from "./testing/json-rpc.js";

let program: ChildProgram;
let folder: string;
let postgres: PostgresServer;
beforeAll(async () => {
  program = await childProgram(new URL("programs/serve-agent.ts", import.meta.url));
  folder = await mkdtemp(join(tmpdir(), "skein-killed-"));
  postgres = await startPostgres();
});
afterAll(async () => {
  await program.remove();
  await rm(folder, { recursive: true, force: true });
  await postgres.stop();
});

const PLACES: Record<string, () => Promise<string>> = {
  sqlite: () => Promise.resolve(join(folder, "agent.db")),
  postgres: async () => (await freshDatabase(postgres.url)).url,
};

describe.each(Object.keys(PLACES))("an agent on %s that is killed after every call", (kind) => {
  let place: string;
  beforeAll(async () => {
    place = (await PLACES[kind]?.()) ?? "";
  });

  /** One call to a process of its own, which does not live to see another. */
  async function inOneProcess<T>(use: (url: string) => Promise<T>): Promise<T> {
    const child: ChildProcess = program.start(kind, place);
    try {
      const [url] = (await once(child, "message")) as [string];
      return await use(url);
    } finally {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
  }

  const sending = (text: string, taskId = "", contextId = "") =>
    inOneProcess(async (url) => send(await connect(url), text, { taskId, contextId }));
  const reading = (method: string, params: object) =>
    inOneProcess(async (url) => (await call(url, method, params)).text);
  /** The same call twice, in two processes. */
  const readTwice = async (method: string, params: object): Promise<string> => {
    const [first, second] = [await reading(method, params), await reading(method, params)];
    expect(second).toBe(first);
    return first;
  };

  it("asks, is answered, passes over, cancels and lists as one that lives", async () => {
    const asked = await sending("Ship it");
    expect(await readTwice("GetTask", { id: asked.id })).toContain("INPUT_REQUIRED");
    const answered = await sending("yes", asked.id);
    expect(stateOf(answered)).toBe("COMPLETED");
    const completed = await readTwice("GetTask", { id: asked.id });
    expect(completed).toContain('"answer":"yes"');

    const passed = await sending("Ship that", "", asked.contextId);
    const canceled = await sending("Ship all", "", asked.contextId);
    expect(await readTwice("GetTask", { id: passed.id })).toContain("CANCELED");
    await inOneProcess(async (url) => cancelTask(await connect(url), canceled.id));
    expect(await readTwice("GetTask", { id: canceled.id })).toContain("CANCELED");

    const list = await readTwice("ListTasks", { includeArtifacts: true });
    expect(list).toContain('"totalSize":3');
    expect(await readTwice("GetTask", { id: asked.id })).toBe(completed);
  }, 120_000);
});

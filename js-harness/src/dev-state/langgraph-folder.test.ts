// A folder written by the real development server of LangGraph, loaded as a state of this one.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Run, ThreadState } from "@langchain/langgraph-sdk";
import { readMark } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { a2aMount } from "../a2a/mount.js";
import type { Host } from "../host.js";
import { call } from "../interop/testing/json-rpc.js";
import { childProgram } from "../testing/child-program.js";

import { openDevHost } from "./dev-host.js";
import { devStateFile, type DevState } from "./dev-state.js";
import { LANGGRAPH_FOLDER, readLanggraphFolder } from "./langgraph-folder.js";

/** What the other server answered for a thread. */
interface Answered extends Pick<ThreadState, "values" | "next"> {
  thread_id: string;
  runs: Run[];
  history: number;
}

describe("the folder of langgraph dev", () => {
  let root: string;
  let written: string;
  let talked: Answered;
  let paused: Answered;
  const hosts: Host[] = [];
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "skein-langgraph-"));
    written = join(root, "written");
    await mkdir(written);
    const program = await childProgram(new URL("programs/langgraph-dev.ts", import.meta.url));
    const [answered] = (await program.run(written, String(await freePort()))) as [Answered[]];
    await program.remove();
    const [first, second] = answered;
    if (!first || !second) throw new Error("The other server has not answered for two threads.");
    [talked, paused] = [first, second];
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    await rm(root, { recursive: true, force: true });
  });

  /** A project with the folder in it, and nothing else. */
  const project = async (): Promise<string> => {
    const directory = await mkdtemp(join(root, "project-"));
    await cp(join(written, LANGGRAPH_FOLDER), join(directory, LANGGRAPH_FOLDER), {
      recursive: true,
    });
    return directory;
  };
  const open = async (directory: string): Promise<Host> => {
    const host = await openDevHost({
      directory,
      log: () => {},
      mount: a2aMount({ assistantId: "echo" }),
    });
    hosts.push(host);
    return host;
  };
  const edit = async (directory: string, change: (text: string) => string): Promise<void> => {
    const file = join(directory, LANGGRAPH_FOLDER, ".langgraphjs_ops.json");
    await writeFile(file, change(await readFile(file, "utf8")));
  };

  it("brings threads, runs, state and history", async () => {
    const host = await open(await project());

    for (const { thread_id, values, next, runs, history } of [talked, paused]) {
      const state = await host.services().threads.getState(thread_id);
      expect(state.values).toEqual(values);
      expect(state.next).toEqual(next);
      expect(await host.services().threads.history(thread_id)).toHaveLength(history);
      const imported = await host.store.runs.listByThread(thread_id);
      expect(imported.map(({ run_id, status }) => ({ run_id, status })).sort(byId)).toEqual(
        runs.map(({ run_id, status }) => ({ run_id, status })).sort(byId),
      );
    }
    expect(talked.values).toMatchObject({ value: "echo: second" });
    expect(await host.store.threads.get(talked.thread_id)).toMatchObject({
      metadata: { topic: "talk" },
    });
  });

  it("brings no tasks: its runs have no mark and no result, whatever was sent to the other server", async () => {
    const host = await open(await project());
    const { url } = await host.listen();

    for (const { run_id } of [...talked.runs, ...paused.runs]) {
      expect(readMark(await host.store.runs.getKwargs(run_id))).toBeNull();
      expect(await host.store.runs.getResult?.(run_id)).toBeNull();
      const { body } = await call(url, "GetTask", { id: run_id });
      expect(body.error).toMatchObject({ code: -32001 });
    }
    const [run] = talked.runs;
    const kwargs = await host.store.runs.getKwargs(String(run?.run_id));
    expect(kwargs).toHaveProperty("input.value");
    expect(Object.keys(kwargs ?? {})).not.toContain("$skein_task");
  });

  it("lets its threads go on, with tasks from then on", async () => {
    const host = await open(await project());
    const resumed = await host.services().runs.submit({
      threadId: paused.thread_id,
      assistantId: "ask",
      command: { resume: "yes" },
    });
    expect(await resumed.outcome).toMatchObject({
      status: "success",
      result: { values: { answer: "yes" } },
    });

    const mark = (root: string) => ({ root, turn: 0, message: null });
    const request = { threadId: talked.thread_id, assistantId: "echo", input: { value: "third" } };
    const { run, outcome } = await host.services().runs.submit(request, { mark });
    await outcome;

    expect(await host.store.runs.getResult?.(run.run_id)).toMatchObject({
      values: { value: "echo: third" },
    });
  });

  it("is read once: from then on the project has a state of its own", async () => {
    const directory = await project();
    const first = await open(directory);
    await first.services().threads.delete(paused.thread_id);
    await first.close();

    const second = await open(directory);

    expect(await second.store.threads.get(paused.thread_id)).toBeNull();
    expect(await second.store.threads.get(talked.thread_id)).not.toBeNull();
    const state = JSON.parse(await readFile(devStateFile(directory), "utf8")) as DevState;
    expect(state.store.results).toEqual([]);
    expect(await readdir(join(directory, LANGGRAPH_FOLDER))).toHaveLength(3);
  });

  it("leaves no thread busy over a run that nobody will end", async () => {
    const directory = await project();
    await edit(directory, (text) =>
      text
        .replaceAll('"status":"success"', '"status":"running"')
        .replaceAll('"status":"idle"', '"status":"busy"'),
    );

    const host = await open(directory);

    expect(await host.store.runs.hasActiveRun(talked.thread_id)).toBe(false);
    expect(await host.store.threads.get(talked.thread_id)).toMatchObject({ status: "idle" });
    expect(await host.store.runs.listByThread(talked.thread_id, { status: "error" })).toHaveLength(
      2,
    );
  });

  it.each([
    ["no JSON", () => "{"],
    ["no superjson", () => '{"runs":{}}'],
    ["a row of another shape", (text: string) => text.replaceAll('"thread_id":', '"thread":')],
  ])("with %s is refused, and nothing is written", async (_, change) => {
    const directory = await project();
    await edit(directory, change);

    await expect(open(directory)).rejects.toThrow(/./);

    expect(await readdir(directory)).toEqual([LANGGRAPH_FOLDER]);
  });

  it("is nothing where there is none, and a part of it is enough", async () => {
    expect(await readLanggraphFolder(join(root, "none"))).toBeNull();
    const directory = await project();
    await rm(join(directory, LANGGRAPH_FOLDER, ".langgraphjs_api.checkpointer.json"));

    const host = await open(directory);

    expect(await host.store.runs.listByThread(talked.thread_id)).toHaveLength(2);
    expect((await host.services().threads.getState(talked.thread_id)).values).toEqual({});
  });
});

const byId = (left: { run_id: string }, right: { run_id: string }): number =>
  left.run_id < right.run_id ? -1 : 1;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === "string") throw new Error("No TCP port was assigned.");
  return address.port;
}

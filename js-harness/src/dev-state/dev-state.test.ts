// A development server keeps its state, with the results of its runs, in a file of its project.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { readMark, type RunMark } from "skein-results";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Host } from "../host.js";

import { openDevHost, type DevHostSettings } from "./dev-host.js";
import { devStateFile, type DevState } from "./dev-state.js";

describe("the state of a development server", () => {
  let directory: string;
  let file: string;
  const hosts: Host[] = [];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "skein-dev-"));
    file = devStateFile(directory);
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await rm(directory, { recursive: true, force: true });
  });

  const open = async (settings: Partial<DevHostSettings> = {}): Promise<Host> => {
    const host = await openDevHost({ directory, log: () => {}, shutdownGraceMs: 50, ...settings });
    hosts.push(host);
    return host;
  };
  const saved = async (): Promise<DevState> => JSON.parse(await readFile(file, "utf8")) as DevState;
  const put = async (state: unknown): Promise<string> => {
    const text = typeof state === "string" ? state : JSON.stringify(state);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return text;
  };
  const mark = (root: string): RunMark => ({ root, turn: 0, message: null });
  const turn = async (host: Host, threadId: string, value: string, assistantId = "echo") => {
    const request = { threadId, assistantId, input: { value } };
    const { run, outcome } = await host.services().runs.submit(request, { mark });
    await outcome;
    return run.run_id;
  };
  const valueOf = async (host: Host, runId: string) =>
    (await host.store.runs.getResult?.(runId))?.values;

  it("is there again after a restart, the results of earlier turns included", async () => {
    const before = await open();
    const { thread_id } = await before.services().threads.create();
    const first = await turn(before, thread_id, "first");
    const second = await turn(before, thread_id, "second");
    await turn(before, thread_id, "Ship it", "ask");
    await before.services().threads.prune({ thread_ids: [thread_id], strategy: "keep_latest" });
    const state = await before.services().threads.getState(thread_id);
    await before.close();

    const after = await open();

    expect(await valueOf(after, first)).toEqual({ value: "echo: first" });
    expect(await valueOf(after, second)).toEqual({ value: "echo: second" });
    expect(readMark(await after.store.runs.getKwargs(first))).toMatchObject({ root: first });
    expect(await after.services().threads.getState(thread_id)).toEqual(state);
    const answer = { threadId: thread_id, assistantId: "ask", command: { resume: "yes" } };
    const { outcome } = await after.services().runs.submit(answer);
    expect(await outcome).toMatchObject({ status: "success" });
  });

  it("is saved while the server works, and not again when nothing has changed", async () => {
    const host = await open({ autosaveMs: 10 });
    const { thread_id } = await host.services().threads.create();
    const runId = await turn(host, thread_id, "first");

    await expect
      .poll(async () => (await saved().catch(() => null))?.store.results)
      .toMatchObject([[runId, { values: { value: "echo: first" } }]]);
    await rm(file);
    await new Promise((resolve) => setTimeout(resolve, 60));

    expect(await readdir(dirname(file))).toEqual([]);
  });

  it("is tried again after it could not be saved, and that is told", async () => {
    const told: string[] = [];
    const host = await open({ autosaveMs: 20, log: (message) => told.push(message) });
    await writeFile(join(directory, ".skein"), "a file in the way");

    await expect.poll(() => told.join()).toContain("dev-state.json");
    await rm(join(directory, ".skein"));
    await host.close();

    expect((await saved()).version).toBe(1);
    expect(await readdir(dirname(file))).toEqual(["dev-state.json"]);
  });

  it("executes the runs again that the server was in the middle of", async () => {
    const before = await open();
    const { thread_id } = await before.services().threads.create();
    await turn(before, thread_id, "first");
    await before.close();
    const state = await saved();
    const [[runId, row] = ["", {}]] = state.store.runs;
    await put({
      ...state,
      store: { ...state.store, runs: [[runId, { ...row, status: "running" }]], results: [] },
    });

    const after = await open();

    expect(await after.services().runs.wait(runId)).toMatchObject({ status: "success" });
    expect(await valueOf(after, runId)).toEqual({ value: "echo: first" });
  });

  it.each([[undefined], [null], [{}], [[]]])(
    "from before results existed is loaded (%j)",
    async (results) => {
      const before = await open();
      const { thread_id } = await before.services().threads.create();
      const runId = await turn(before, thread_id, "first");
      await before.close();
      const { store, ...state } = await saved();
      const { version: _version, results: _results, ...rows } = store;
      const older = { ...state, store: { ...rows, ...(results === undefined ? {} : { results }) } };
      // What the host's own file has besides.
      await put({
        ...older,
        store: { ...older.store, items: [], crons: [], assistantVersions: [] },
      });

      const after = await open();

      expect(await after.store.runs.get(runId)).toMatchObject({ status: "success" });
      expect(await after.store.runs.getResult?.(runId)).toBeNull();
      const state2 = await after.services().threads.getState(thread_id);
      expect(state2.values).toEqual({ value: "echo: first" });
      const next = await turn(after, thread_id, "second");
      expect(await valueOf(after, next)).toEqual({ value: "echo: second" });
    },
  );

  const empty = { assistants: [], threads: [], runs: [], runKwargs: [] };
  it.each([
    ["no JSON", "{"],
    ["an empty file", ""],
    ["a list", "[]"],
    ["another object", "{}"],
    ["a newer version", { version: 2, store: empty, checkpoints: {} }],
    ["a store of a newer version", { version: 1, store: { ...empty, version: 2 } }],
    ["a malformed entry", { version: 1, store: { ...empty, results: [["r1", {}]] } }],
    ["a malformed row", { version: 1, store: { ...empty, threads: [["t1", null]] } }],
    ["malformed checkpoints", { version: 1, store: empty, checkpoints: { storage: { t1: 1 } } }],
    [
      "a checkpoint without bytes",
      { version: 1, store: empty, checkpoints: { storage: { t1: { "": { c1: [1, 2] } } } } },
    ],
  ])("that is %s is refused, and left as it is", async (_, state) => {
    const text = await put(state);

    await expect(open()).rejects.toThrow(/./);

    expect(await readFile(file, "utf8")).toBe(text);
    expect(await readdir(dirname(file))).toEqual(["dev-state.json"]);
  });

  it("makes no task of another thread's run, whatever somebody has written into it", async () => {
    const before = await open();
    const [theirs, mine] = [
      await before.services().threads.create(),
      await before.services().threads.create(),
    ];
    const task = await turn(before, theirs.thread_id, "theirs");
    const run = await turn(before, mine.thread_id, "mine");
    await before.close();
    const state = await saved();
    const stolen = JSON.stringify(state.store.runKwargs).replaceAll(
      `"root":"${run}"`,
      `"root":"${task}"`,
    );
    expect(stolen).not.toBe(JSON.stringify(state.store.runKwargs));
    const runKwargs = JSON.parse(stolen) as DevState["store"]["runKwargs"];
    await put({ ...state, store: { ...state.store, runKwargs } });

    const after = await open();

    expect(readMark(await after.store.runs.getKwargs(task))).toMatchObject({ root: task });
    expect(readMark(await after.store.runs.getKwargs(run))).toBeNull();
  });
});

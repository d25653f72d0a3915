// A whole run of a one-node graph, with its result captured and without, on each store.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openMemoryHost, openPostgresHost, openSqliteHost, type Host } from "../host.js";
import { freshDatabase, startPostgres } from "../testing/postgres-server.js";

import { compare, type BenchRow } from "./compare.js";

const GOAL = 1.05;

export async function runBenches(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "skein-bench-"));
  const postgres = await startPostgres();
  try {
    const database = await freshDatabase(postgres.url);
    return [
      await runBench("memory", await openMemoryHost()),
      await runBench("sqlite", await openSqliteHost({ path: join(folder, "agent.db") })),
      await runBench("postgres", await openPostgresHost({ url: database.url })),
    ];
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runBench(store: string, host: Host): Promise<BenchRow> {
  const { runs, threads } = host.services();
  const run = async (marked: boolean): Promise<void> => {
    // A thread of its own each: a thread that grows would make the later runs slower.
    const { thread_id: threadId } = await threads.create();
    const request = { threadId, assistantId: "echo", input: { value: "hello" } };
    const mark = (root: string) => ({ root, turn: 0, message: null });
    const { outcome } = await runs.submit(request, marked ? { mark } : {});
    const ended = await outcome;
    if (ended?.status !== "success") throw new Error(`The run ended as ${String(ended?.status)}.`);
  };
  const row = await compare({
    name: `run-${store}`,
    goal: GOAL,
    ours: () => run(true),
    theirs: () => run(false),
    what: "a run of a one-node graph with its result captured, and without",
    rounds: 120,
    repeats: 5,
  });
  await host.close();
  return row;
}

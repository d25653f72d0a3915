// Two hosts, each a process, on one Postgres: they make the same moves on the same threads, and the
// promises are asked of the database while they do, and when they have ended.

import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

import { openPostgresHost, type Host } from "../host.js";
import { openRows } from "../invariants/rows.js";
import { brokenAtRest, Watch } from "../invariants/watch.js";
import type { ChildProgram } from "../testing/child-program.js";

export interface RaceReport {
  seconds: number;
  /** Moves that were made; those that came too late are not among them. */
  operations: number;
  /** Moves by name: made, and refused. */
  moves: Record<string, { made: number; refused: number }>;
  /** How often the rows were looked at meanwhile. */
  looks: number;
  violations: string[];
}

export interface RaceOptions {
  program: ChildProgram;
  /** An empty database. */
  url: string;
  /** The same database through a pooler, for the hosts. */
  poolerUrl?: string;
  seconds: number;
  hosts?: number;
  threads?: number;
}

interface Told {
  made: Record<string, number>;
  refused: Record<string, number>;
  complaints: string[];
}

const LOOK_EVERY_MS = 250;

export async function race(options: RaceOptions): Promise<RaceReport> {
  const { program, url, poolerUrl = "", seconds, hosts = 2, threads = 4 } = options;
  const threadIds = await newThreads(url, threads);
  const children = Array.from({ length: hosts }, () => program.start(url, poolerUrl, ...threadIds));
  const ready = Promise.all(children.map((child) => once(child, "message")));
  const ends = children.map((child) => once(child, "close") as Promise<[number | null]>);
  await Promise.race([ready, Promise.all(ends)]);

  const rows = openRows({ kind: "postgres", at: url });
  const watch = new Watch({ oneWrite: true });
  const violations: string[] = [];
  let looks = 0;
  const until = Date.now() + seconds * 1_000;
  while (Date.now() < until) {
    violations.push(...watch.see(await rows.read()));
    looks += 1;
    await wait(LOOK_EVERY_MS);
  }
  const told = children.map(async (child) => {
    const answer = once(child, "message") as Promise<[Told]>;
    child.send("stop");
    return (await answer)[0];
  });
  const answers = await Promise.all(told);
  for (const [code] of await Promise.all(ends)) {
    if (code !== 0) violations.push(`A host ended with ${String(code)}.`);
  }

  violations.push(...watch.see(await rows.read()));
  await recovered(url);
  const atRest = await rows.read();
  violations.push(...watch.see(atRest), ...brokenAtRest(atRest));
  await rows.close();
  violations.push(...answers.flatMap(({ complaints }) => complaints));
  const moves = sums(answers);
  const operations = Object.values(moves).reduce((sum, { made }) => sum + made, 0);
  return { seconds, operations, moves, looks, violations };
}

async function newThreads(url: string, count: number): Promise<string[]> {
  const host = await openPostgresHost({ url });
  const created = await Promise.all(
    Array.from({ length: count }, () => host.services().threads.create()),
  );
  await host.close();
  return created.map(({ thread_id }) => thread_id);
}

/** What was left in the queues is executed by the next host. */
async function recovered(url: string): Promise<void> {
  const host = await openPostgresHost({ url, log: () => undefined });
  await untilNothingIsInFlight(host);
  await host.close();
}

async function untilNothingIsInFlight({ store }: Host): Promise<void> {
  const deadline = Date.now() + 120_000;
  while ((await store.runs.listActiveRuns()).length > 0 && Date.now() < deadline) await wait(20);
}

function sums(answers: readonly Told[]): RaceReport["moves"] {
  const names = new Set(
    answers.flatMap(({ made, refused }) => Object.keys({ ...made, ...refused })),
  );
  const sum = (counts: readonly Record<string, number>[], name: string) =>
    counts.reduce((total, count) => total + (count[name] ?? 0), 0);
  return Object.fromEntries(
    [...names].sort().map((name) => [
      name,
      {
        made: sum(
          answers.map(({ made }) => made),
          name,
        ),
        refused: sum(
          answers.map(({ refused }) => refused),
          name,
        ),
      },
    ]),
  );
}

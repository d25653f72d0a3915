// Writers that do not share a process, or not a connection: one wins, and nobody is told of a failure.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { mergeResults, resultMethods, type ResultMethods, type RunResult } from "skein-results";
import pg from "pg";
import { postgresDriver } from "skein-results/postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openSqliteStore } from "../stores/sqlite.js";
import { childProgram } from "../testing/child-program.js";
import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

import { createTables } from "./testing/postgres-store.js";

const ROUNDS = 200;

describe("two processes on one SQLite file", () => {
  it("agree on one result for each of 200 runs", async () => {
    const folder = await mkdtemp(join(tmpdir(), "skein-writers-"));
    const path = join(folder, "agent.db");
    const { store, close } = await openSqliteStore({ path });
    const { thread_id } = await store.threads.create();
    for (let round = 0; round < ROUNDS; round += 1) {
      await store.runs.create({ thread_id, assistant_id: "echo", run_id: `r${round}` });
    }

    const program = await childProgram(new URL("./programs/record-and-read.ts", import.meta.url));
    const start = String(Date.now() + 1_500);
    const [one, other] = await Promise.all(
      ["one", "other"].map((writer) => program.run(path, writer, String(ROUNDS), start)),
    );
    await program.remove();

    const reads = one?.[0] as RunResult[];
    expect(reads).toHaveLength(ROUNDS);
    expect(other?.[0]).toEqual(reads);
    for (const [round, read] of reads.entries()) {
      expect(["one", "other"]).toContain(read.reply);
      expect(read).toEqual({ values: { writer: read.reply }, reply: read.reply });
      expect(await store.runs.getResult?.(`r${round}`)).toEqual(read);
    }
    await close();
    await rm(folder, { recursive: true });
  });
});

describe("two pools on one Postgres database", () => {
  let server: PostgresServer;
  let database: FreshDatabase;
  let pools: pg.Pool[];
  let one: ResultMethods;
  let other: ResultMethods;
  beforeAll(async () => {
    server = await startPostgres();
    database = await freshDatabase(server.url);
    await createTables({ url: database.url });
    // The plan that a large table gets: the rows of a statement are found by the index, in the order of
    // its ids.
    const url = new URL(database.url);
    const plans = ["hashjoin", "mergejoin", "seqscan"].map((kind) => `-c enable_${kind}=off`);
    url.searchParams.set("options", plans.join(" "));
    pools = [1, 2].map(() => new pg.Pool({ connectionString: url.href, max: 10 }));
    [one, other] = pools.map((pool) => resultMethods(postgresDriver({ pool }))) as [
      ResultMethods,
      ResultMethods,
    ];
  });
  afterAll(async () => {
    for (const pool of pools) await pool.end();
    await database.drop();
    await server.stop();
  });

  let runIds: string[];
  beforeEach(async () => {
    runIds = Array.from({ length: ROUNDS }, () => crypto.randomUUID());
    await pools[0]?.query("INSERT INTO threads VALUES ('t') ON CONFLICT DO NOTHING");
    await pools[0]?.query(
      `INSERT INTO runs (run_id, thread_id, status, kwargs, updated_at, metadata)
       SELECT run_id, 't', 'running', '{}', now(), '{}' FROM unnest($1::text[]) AS run_id`,
      [runIds],
    );
  });

  it("let one of 20 writers win in each of 200 rounds, and every reader sees that one", async () => {
    for (const runId of runIds) {
      const reads = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const methods = i % 2 === 0 ? one : other;
          await methods.recordResult(runId, { values: { i } });
          return methods.getResult(runId);
        }),
      );
      expect(reads[0]).not.toBeNull();
      for (const read of reads) expect(read).toEqual(reads[0]);
    }
  });

  it("let an import or a record win as a whole in each of 200 races", async () => {
    for (const runId of runIds) {
      const imported = { values: { from: "import" }, reply: "import" };
      const recorded = { values: { from: "record" }, reply: "record" };
      const [byImport, byRecord] = await Promise.all([
        one
          .attachResults(mergeResults({ results: [[runId, imported]] }))
          .then(() => one.getResult(runId)),
        other.recordResult(runId, recorded).then(() => other.getResult(runId)),
      ]);
      expect([imported, recorded]).toContainEqual(byImport);
      expect(byRecord).toEqual(byImport);
    }
  });

  it("import the same runs in opposite orders without locking each other out", async () => {
    for (let start = 0; start < ROUNDS; start += 10) {
      const ids = runIds.slice(start, start + 10);
      const entries = mergeResults({ results: ids.map((id) => [id, { values: { id } }]) });

      await Promise.all(
        [one, other, one, other].map((methods, place) =>
          methods.attachResults(place % 2 === 0 ? entries : entries.toReversed()),
        ),
      );

      for (const id of ids) expect(await one.getResult(id)).toEqual({ values: { id } });
    }
  });
});

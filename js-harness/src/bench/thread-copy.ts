// A thread copy on Postgres: its round trips must not grow with the runs.

import pg from "pg";
import { mergeResults, resultMethods } from "skein-results";
import { postgresDriver, postgresMigrations, type PostgresQueryable } from "skein-results/postgres";

import { freshDatabase, startPostgres } from "../testing/postgres-server.js";

import { quantile, rounded, type BenchRow } from "./compare.js";
import { runId, snapshotEntries } from "./snapshot-entries.js";

const RUNS = 1_000;
const FEW = 10;
const ROUNDS = 15;

export async function threadCopyBench(): Promise<BenchRow> {
  const server = await startPostgres();
  const database = await freshDatabase(server.url);
  const pool = new pg.Pool({ connectionString: database.url });
  try {
    const few = await copyOf(pool, FEW);
    const many = await copyOf(pool, RUNS);
    const ratio = rounded(many.roundTrips / few.roundTrips);
    return {
      name: "copy-1000-postgres",
      ratio,
      goal: 1,
      spread: [ratio, ratio],
      detail:
        `round trips for ${RUNS} runs (${many.roundTrips}) over those for ${FEW} (${few.roundTrips}), in the host's transaction; ` +
        `${many.milliseconds.toFixed(1)} ms, median of ${ROUNDS} copies`,
    };
  } finally {
    await pool.end();
    await database.drop();
    await server.stop();
  }
}

async function copyOf(pool: pg.Pool, count: number) {
  await pool.query("DROP TABLE IF EXISTS runs");
  await pool.query(
    "CREATE TABLE runs (run_id text PRIMARY KEY, status text, error jsonb, updated_at timestamptz)",
  );
  for (const { up } of postgresMigrations) await pool.query(up);
  const methods = resultMethods(postgresDriver({ pool }));
  const entries = snapshotEntries(count);
  const sources = entries.map(([id]) => id);
  await insertRuns(pool, sources);
  await methods.attachResults(mergeResults({ results: entries }));

  const times: number[] = [];
  let roundTrips = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const runs = sources.map((from, index) => ({ from, to: runId((round + 1) * RUNS + index) }));
    const client = await pool.connect();
    const counted: PostgresQueryable = {
      query: (sql, parameters) => {
        roundTrips += 1;
        return client.query(sql, parameters);
      },
    };
    await client.query("BEGIN");
    await insertRuns(
      client,
      runs.map(({ to }) => to),
    );
    const started = performance.now();
    await methods.copyResults({ sourceThread: "a", targetThread: "b", runs }, counted);
    times.push(performance.now() - started);
    await client.query("COMMIT");
    client.release();
  }
  return { milliseconds: quantile(times, 0.5), roundTrips: roundTrips / ROUNDS };
}

async function insertRuns(on: PostgresQueryable, ids: readonly string[]): Promise<void> {
  await on.query("INSERT INTO runs (run_id, status) SELECT unnest($1::text[]), 'success'", [ids]);
}

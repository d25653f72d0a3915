// Killing processes that open a database for the first time, or one from before results existed: each
// on a database of its own.

import BetterSqlite3 from "better-sqlite3";
import pg from "pg";
import { migratePostgres } from "skein-results/postgres";
import { migrateSqlite } from "skein-results/sqlite";

import type { DatabasePlace } from "../invariants/rows.js";
import { postgresHostMigrations } from "../stores/migrations/postgres.generated.js";
import { sqliteHostMigrations } from "../stores/migrations/sqlite.generated.js";

import type { Databases } from "./databases.js";
import { openCrashHost } from "./host.js";
import type { CrashReport, Victims } from "./kills.js";
import { sentenceOf, type Place } from "./places.js";

/** What a process finds. */
type Found = "nothing" | "a database without results";

const FOUND: readonly Found[] = ["nothing", "a database without results"];

/** Kills a process at these places of opening a database, and has the next one open it. */
export async function killMigrations(
  victims: Victims,
  databases: Databases,
  report: CrashReport,
  chosen: (steps: readonly string[]) => Place[],
): Promise<void> {
  for (const found of FOUND) {
    const whole = await databases.make();
    await leave(whole.place, found);
    const order = { place: whole.place, operation: "migration", dieAt: null } as const;
    const { steps = [] } = await victims.send(order);
    const schema = await schemaOf(whole.place);
    await whole.remove();
    for (const dieAt of chosen(steps)) {
      const { place, remove } = await databases.make();
      await leave(place, found);
      const { steps: rest } = await victims.send({ place, operation: "migration", dieAt });
      if (!rest) {
        const point = `${place.kind}: migration of ${found}, ${sentenceOf(dieAt)}`;
        report.kills += 1;
        report.points.push(point);
        const broken = await openedAgain(place, found, schema).catch((error: unknown) => [
          `The next process fails: ${String(error)}`,
        ]);
        report.violations.push(...broken.map((sentence) => `${point}: ${sentence}`));
      }
      await remove();
    }
  }
}

async function openedAgain(place: DatabasePlace, found: Found, schema: unknown): Promise<string[]> {
  const host = await openCrashHost(place);
  const broken: string[] = [];
  try {
    const { runs, threads } = host.services();
    const { thread_id: threadId } = await threads.create();
    const request = { threadId, assistantId: "echo", input: { value: "after" } };
    const submitted = await runs.submit(request, {
      mark: (root) => ({ root, turn: 0, message: null }),
    });
    const ended = await submitted.outcome;
    if (ended?.status !== "success") broken.push("The database does not serve a run.");
    if (!(await host.store.runs.getResult?.(submitted.run.run_id))) {
      broken.push("The database does not keep a result.");
    }
    if (found !== "nothing" && !(await host.store.runs.get(OLD.run))) {
      broken.push("A run from before the upgrade is gone.");
    }
  } finally {
    await host.close();
  }
  if (JSON.stringify(await schemaOf(place)) !== JSON.stringify(schema)) {
    broken.push("The schema is not the one that one process makes.");
  }
  return broken;
}

const OLD = { thread: "old-thread", run: "old-run" };
const OLD_ROWS = [
  `INSERT INTO threads (thread_id, status, metadata, "values", interrupts, created_at, updated_at, state_updated_at)
   VALUES ('${OLD.thread}', 'idle', '{}', '{}', '{}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
  `INSERT INTO runs (run_id, thread_id, assistant_id, status, metadata, created_at, updated_at)
   VALUES ('${OLD.run}', '${OLD.thread}', 'echo', 'success', '{}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
].join(";");

async function leave(place: DatabasePlace, found: Found): Promise<void> {
  if (found === "nothing") return;
  if (place.kind === "sqlite") {
    const database = new BetterSqlite3(place.at);
    await migrateSqlite(database, [sqliteHostMigrations]);
    database.exec(OLD_ROWS);
    database.close();
    return;
  }
  const pool = new pg.Pool({ connectionString: place.at, max: 1 });
  await migratePostgres(pool, [postgresHostMigrations]);
  await pool.query(OLD_ROWS);
  await pool.end();
}

/** Tables, columns and indexes, by their names. */
async function schemaOf({ kind, at }: DatabasePlace): Promise<unknown> {
  if (kind === "sqlite") {
    const database = new BetterSqlite3(at, { readonly: true });
    const schema = database
      .prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
      .all();
    database.close();
    return schema;
  }
  const pool = new pg.Pool({ connectionString: at, max: 1 });
  const { rows: columns } = await pool.query(
    `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1, 2`,
  );
  const { rows: indexes } = await pool.query(
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
  );
  await pool.end();
  return { columns, indexes };
}

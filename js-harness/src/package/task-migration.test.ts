// The migration for tasks: marks that were there before it are found after it, and down and up again
// loses nothing.

import Database from "better-sqlite3";
import pg from "pg";
import { markRun, resultMethods, type ResultMethods, type TaskMethods } from "skein-results";
import { postgresDriver, postgresMigrations, postgresTaskMigrations } from "skein-results/postgres";
import { sqliteDriver, sqliteMigrations, sqliteTaskMigrations } from "skein-results/sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { postgresHostMigrations } from "../stores/migrations/postgres.generated.js";
import { sqliteHostMigrations } from "../stores/migrations/sqlite.generated.js";
import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

/** A database with the host's own tables and with results, and without tasks. */
interface OldDatabase {
  execute: (sql: string) => Promise<unknown>;
  rows: (sql: string) => Promise<object[]>;
  methods: () => ResultMethods & TaskMethods;
  migrations: typeof sqliteTaskMigrations;
  close: () => Promise<void>;
}

type OpenDatabase = () => Promise<OldDatabase>;

const AT = "2026-01-01T00:00:00.000Z";

const marked = (root: string, turn: number, input: unknown = "in") =>
  markRun({ input }, { root, turn, message: JSON.stringify({ root, turn }) });

/** Runs of an older build, which may hold anything in their input. */
const RUNS: readonly [runId: string, status: string, kwargs: object | null][] = [
  ["one", "success", marked("one", 0)],
  ["two", "interrupted", marked("two", 0, { $skein_task: "a client's own" })],
  ["two-1", "success", marked("two", 1)],
  ["orphan", "success", marked("gone", 1)],
  ["newer", "success", { input: "in", $skein_task: { v: 2, root: "newer", turn: 0 } }],
  ["broken", "success", { input: "in", $skein_task: "no mark" }],
  ["listed", "success", { input: ["$skein_task"], $skein_task: [1, "listed", 0] }],
  ["ordinary", "success", { input: "in" }],
  ["bare", "success", null],
];
/** What `json` and SQLite's text hold, and `jsonb` does not. */
const ODD_RUNS: typeof RUNS = [
  ["nul", "success", marked("nul", 0, "a\u0000b")],
  ["half", "success", marked("half", 0, { "\ud83d": "\ude00" })],
];
const TASKS = ["one", "two"];
const ODD_TASKS = ["half", "nul"];

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function addRuns(database: OldDatabase, runs: typeof RUNS): Promise<void> {
  for (const [runId, status, kwargs] of runs) {
    const json = kwargs === null ? "NULL" : literal(JSON.stringify(kwargs));
    await database.execute(
      `INSERT INTO runs (run_id, thread_id, assistant_id, status, metadata, kwargs, created_at, updated_at)
       VALUES (${literal(runId)}, 't', 'echo', '${status}', '{}', ${json}, '${AT}', '${AT}')`,
    );
  }
}

const migrate = async ({ execute, migrations }: OldDatabase, way: "up" | "down"): Promise<void> => {
  for (const migration of migrations) await execute(migration[way]);
};

const listed = async (database: OldDatabase): Promise<string[]> => {
  const page = await database
    .methods()
    .taskPage({ thread: "t", limit: 100, answers: true, count: true });
  expect(page.total).toBe(page.tasks.length);
  return page.tasks.map(({ task }) => task).sort();
};

async function opened(database: OldDatabase): Promise<OldDatabase> {
  await database.execute(
    `INSERT INTO threads (thread_id, status, metadata, "values", interrupts, created_at, updated_at, state_updated_at)
     VALUES ('t', 'idle', '{}', '{}', '{}', '${AT}', '${AT}', '${AT}')`,
  );
  return database;
}

const openSqlite: OpenDatabase = async () => {
  const database = new Database(":memory:");
  for (const { up } of [...sqliteHostMigrations, ...sqliteMigrations]) database.exec(up);
  return opened({
    execute: (sql) => Promise.resolve(database.exec(sql)),
    rows: (sql) => Promise.resolve(database.prepare<[], object>(sql).all()),
    methods: () => resultMethods(sqliteDriver({ database })),
    migrations: sqliteTaskMigrations,
    close: () => {
      database.close();
      return Promise.resolve();
    },
  });
};

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** @param type of the column of kwargs */
const openPostgres = (type: string): OpenDatabase => {
  return async () => {
    const fresh: FreshDatabase = await freshDatabase(server.url);
    const pool = new pg.Pool({ connectionString: fresh.url });
    for (const { up } of [...postgresHostMigrations, ...postgresMigrations]) await pool.query(up);
    await pool.query(`ALTER TABLE runs ALTER COLUMN kwargs TYPE ${type} USING kwargs::${type}`);
    return opened({
      execute: (sql) => pool.query(sql),
      rows: async (sql) => (await pool.query<object>(sql)).rows,
      methods: () => resultMethods(postgresDriver({ pool })),
      migrations: postgresTaskMigrations,
      close: async () => {
        await pool.end();
        await fresh.drop();
      },
    });
  };
};

describe.each<[name: string, open: OpenDatabase, holdsAll: boolean]>([
  ["SQLite", openSqlite, true],
  ["Postgres with kwargs of json", openPostgres("json"), true],
  ["Postgres with kwargs of text", openPostgres("text"), true],
  ["Postgres with kwargs of jsonb", openPostgres("jsonb"), false],
])("the migration for tasks on %s", (_name, open, holdsAll) => {
  const runs = holdsAll ? [...RUNS, ...ODD_RUNS] : RUNS;
  const tasks = holdsAll ? [...TASKS, ...ODD_TASKS].sort() : TASKS;
  let database: OldDatabase;
  beforeEach(async () => {
    database = await open();
    await addRuns(database, runs);
    await database.methods().recordResult("one", { values: { answer: 1 } });
  });
  afterEach(() => database.close());

  it("finds the tasks that were marked before it, and those that are marked after it", async () => {
    await migrate(database, "up");

    expect(await listed(database)).toEqual(tasks);
    const [two] = (
      await database.methods().taskPage({ task: "two", limit: 1, answers: true, count: false })
    ).tasks;
    expect(two).toMatchObject({
      run: "two-1",
      turn: 1,
      messages: ['{"root":"two","turn":0}', '{"root":"two","turn":1}'],
    });

    await addRuns(database, [["three", "success", marked("three", 0)]]);
    expect(await listed(database)).toEqual([...tasks, "three"].sort());
  });

  it("follows a mark that is written or removed later", async () => {
    await migrate(database, "up");
    const kwargs = literal(JSON.stringify(marked("ordinary", 0)));
    await database.execute(`UPDATE runs SET kwargs = ${kwargs} WHERE run_id = 'ordinary'`);
    await database.execute(`UPDATE runs SET kwargs = '{}' WHERE run_id = 'one'`);

    const expected = [...tasks.filter((task) => task !== "one"), "ordinary"].sort();
    expect(await listed(database)).toEqual(expected);
  });

  it("goes down and up again without losing anything", async () => {
    const columns = `run_id, seq, thread_id, status, CAST(metadata AS text) AS metadata,
      CAST(kwargs AS text) AS kwargs, created_at, updated_at,
      result_values, result_interrupts, result_reply, result_checkpoint`;
    const read = () => database.rows(`SELECT ${columns} FROM runs ORDER BY seq`);
    const names = async () => Object.keys((await database.rows("SELECT * FROM runs"))[0] ?? {});
    const [rowsBefore, namesBefore] = [await read(), await names()];

    await migrate(database, "up");
    expect(await read()).toEqual(rowsBefore);
    await migrate(database, "down");

    expect(await read()).toEqual(rowsBefore);
    expect(await names()).toEqual(namesBefore);
    // An older build works in between.
    await addRuns(database, [["between", "success", marked("between", 0)]]);
    const rowsBetween = await read();
    await migrate(database, "up");
    expect(await read()).toEqual(rowsBetween);
    expect(await listed(database)).toEqual([...tasks, "between"].sort());
    expect(await database.methods().getResult("one")).toEqual({ values: { answer: 1 } });
  });
});

it("takes runs on SQLite whose kwargs are no JSON that SQLite reads, and finds no task in them", async () => {
  const database = await openSqlite();
  const deep = `{"$skein_task":{},"input":${"[".repeat(1_500)}${"]".repeat(1_500)}}`;
  for (const kwargs of ["", 'no JSON with a "$skein_task"', deep]) {
    await database.execute(
      `INSERT INTO runs (run_id, thread_id, assistant_id, status, metadata, kwargs, created_at, updated_at)
       VALUES ('${String(kwargs.length)}', 't', 'echo', 'success', '{}', ${literal(kwargs)}, '${AT}', '${AT}')`,
    );
  }
  await addRuns(database, RUNS);
  await migrate(database, "up");
  await addRuns(database, [["three", "success", marked("three", 0)]]);

  expect(await listed(database)).toEqual([...TASKS, "three"].sort());
  await database.close();
});

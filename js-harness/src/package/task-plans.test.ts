// A page of ten thousand tasks comes from the indexes of the package's migration, and is read no further
// than it goes.

import Database from "better-sqlite3";
import pg from "pg";
import type { TaskQuery } from "skein-results";
import { postgresDriver, type PostgresQueryable } from "skein-results/postgres";
import { sqliteDriver, type SqliteDatabase } from "skein-results/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openPostgresStore } from "../stores/postgres.js";
import { openSqliteStore } from "../stores/sqlite.js";
import { idOfTask, MANY_TASKS, manyTasks, timeOfTask } from "../stores/testing/many-tasks.js";
import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

const LIMIT = 50;
const PAGE = { limit: LIMIT, answers: true, count: false } as const;
const MIDDLE = MANY_TASKS / 2;
const AFTER = { at: timeOfTask(MIDDLE), run: idOfTask(MIDDLE) };
const SCOPE = { owner: { user: "user-1", tenant: "acme" } };

/** Pages that are found in the order of the list. */
const LISTS: readonly [name: string, query: TaskQuery][] = [
  ["the first page", PAGE],
  ["a page behind another", { ...PAGE, after: AFTER }],
  ["a page of one caller's", { ...PAGE, metadata: SCOPE }],
  ["a page of failed tasks", { ...PAGE, state: "failed" }],
  ["a page since a time", { ...PAGE, since: timeOfTask(MIDDLE) }],
];
const ONE: TaskQuery = { ...PAGE, task: idOfTask(MIDDLE) };

describe.each(["before", "after"])("SQLite %s it has analyzed the table", (when) => {
  let database: Database.Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const opened = await openSqliteStore({ path: ":memory:" });
    ({ database, close } = opened);
    await opened.store.restore(manyTasks());
    if (when === "after") database.exec("ANALYZE");
  });
  afterAll(() => close());

  /** What SQLite does for the one statement of a page, step by step. */
  const stepsOf = (query: TaskQuery): string[] => {
    const plans: string[][] = [];
    const explaining: SqliteDatabase = {
      name: database.name,
      exec: (sql) => database.exec(sql),
      transaction: (work) => database.transaction(work),
      prepare: (sql) => {
        const statement = database.prepare(sql);
        const explained = database.prepare<unknown[], { detail: string }>(
          `EXPLAIN QUERY PLAN ${sql}`,
        );
        return {
          run: (...parameters) => statement.run(...parameters),
          get: (...parameters) => statement.get(...parameters),
          all: (...parameters) => {
            plans.push(explained.all(...parameters).map(({ detail }) => detail));
            return statement.all(...parameters);
          },
        };
      },
    };
    void sqliteDriver({ database: explaining }).taskPage(query);
    expect(plans).toHaveLength(1);
    return plans[0] ?? [];
  };
  /** Steps that read a table from end to end. */
  const scans = (steps: string[]) => steps.filter((step) => /^SCAN \w+_run\b/.test(step));

  it.each(LISTS)("reads %s in the order of runs_task_order", (_name, query) => {
    const steps = stepsOf(query);
    expect(steps[0]).toMatch(/^(SCAN|SEARCH) r USING INDEX runs_task_order\b/);
    expect(steps.join()).not.toContain("TEMP B-TREE");
    expect(scans(steps)).toEqual([]);
  });

  it("goes straight to the place that a page leads on from", () => {
    expect(stepsOf({ ...PAGE, after: AFTER })[0]).toBe(
      "SEARCH r USING INDEX runs_task_order ((updated_at,run_id)<(?,?))",
    );
  });

  it("finds one task by runs_task_lineage", () => {
    const steps = stepsOf(ONE);
    expect(steps[0]).toBe("SEARCH r USING INDEX runs_task_lineage (task_root=?)");
    // Sorted, the rows would be copied with the results in them.
    expect(steps.join()).not.toContain("TEMP B-TREE");
    expect(scans(steps)).toEqual([]);
  });

  it("finds the tasks of a thread by the host's own index", () => {
    const steps = stepsOf({ ...PAGE, thread: "thread-7" });
    expect(steps[0]).toBe("SEARCH r USING INDEX runs_thread_idx (thread_id=?)");
    expect(scans(steps)).toEqual([]);
  });
});

/** A step of a plan of Postgres. */
interface PlanNode {
  "Node Type": string;
  Alias?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Scan Direction"?: string;
  "Actual Rows"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

describe("Postgres", () => {
  let server: PostgresServer;
  let fresh: FreshDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    fresh = await freshDatabase(server.url);
    pool = new pg.Pool({ connectionString: fresh.url, max: 2 });
    const { store } = await openPostgresStore({ pool });
    await store.restore(manyTasks());
  });
  afterAll(async () => {
    await pool.end();
    await fresh.drop();
    await server.stop();
  });

  /** The steps down to the runs that are listed, outermost first, and all steps. */
  const planOf = async (query: TaskQuery): Promise<{ way: PlanNode[]; all: PlanNode[] }> => {
    const plans: PlanNode[] = [];
    const explaining: PostgresQueryable = {
      query: async (statement, parameters) => {
        const text = typeof statement === "string" ? statement : statement.text;
        const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
        const { rows } = await pool.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
          explain,
          parameters,
        );
        plans.push(...rows.map((row) => row["QUERY PLAN"][0].Plan));
        return { rows: [] };
      },
    };
    await postgresDriver({ pool: { ...explaining, connect: () => pool.connect() } }).taskPage(
      query,
    );
    expect(plans).toHaveLength(1);
    const [plan] = plans as [PlanNode];
    return { way: wayTo("r", plan) ?? [], all: nodesOf(plan) };
  };

  describe.each(["before", "after"])("%s it has analyzed the table", (when) => {
    beforeAll(async () => {
      if (when === "after") await pool.query("ANALYZE");
    });

    it.each(LISTS)("reads %s in the order of runs_task_order", async (_name, query) => {
      const { way, all } = await planOf(query);

      expect(way.map((node) => node["Node Type"]).filter((type) => type !== "Result")).toEqual([
        "Limit",
        "Index Scan",
      ]);
      expect(way.at(-1)).toMatchObject({
        "Index Name": "runs_task_order",
        "Scan Direction": "Backward",
      });
      expect(all.map((node) => node["Node Type"])).not.toContain("Seq Scan");
    });

    it("reads no more rows than those of a page and of their lineages", async () => {
      for (const query of [PAGE, { ...PAGE, after: AFTER }]) {
        const { way } = await planOf(query);
        const { "Actual Rows": read = 0, "Rows Removed by Filter": left = 0 } = way.at(-1) ?? {};
        expect(read).toBe(LIMIT);
        expect(left).toBeLessThan(LIMIT);
      }
    });

    it("goes straight to the place that a page leads on from", async () => {
      const { way } = await planOf({ ...PAGE, after: AFTER });
      expect(way.at(-1)?.["Index Cond"]).toMatch(/^\(ROW\(updated_at, .*run_id.*\) < ROW\(/);
    });

    it("finds one task by runs_task_lineage", async () => {
      const { way, all } = await planOf(ONE);
      // A few rows of an index may also be collected first, and be read in the table's order.
      const read = way.at(-1);
      const collected = read?.Plans?.find((node) => node["Node Type"] === "Bitmap Index Scan");
      const index = read?.["Node Type"] === "Bitmap Heap Scan" ? collected : read;
      expect(index?.["Index Name"]).toBe("runs_task_lineage");
      expect(index?.["Index Cond"]).toContain("task_root = ");
      expect(all.map((node) => node["Node Type"])).not.toContain("Seq Scan");
    });
  });
});

/** The steps that a table of this alias is read by, the outermost first. */
function wayTo(alias: string, node: PlanNode): PlanNode[] | null {
  if (node.Alias === alias) return [node];
  for (const inner of node.Plans ?? []) {
    const way = wayTo(alias, inner);
    if (way) return [node, ...way];
  }
  return null;
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

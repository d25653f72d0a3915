// The databases of the SDK's own task store, with the tables that its own tool makes.

import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import type { TaskStore } from "@a2a-js/sdk/server";
import { DatabaseTaskStore } from "@a2a-js/sdk/server/database";
import { Kysely, PostgresDialect, SqliteDialect, type Dialect } from "kysely";
import pg from "pg";

import { openDatabase } from "../stores/sqlite/open-database.js";

export interface TaskDatabase {
  taskStore: TaskStore;
  close(): Promise<void>;
}

/** In an SQLite file that is opened with the settings of this host's own. */
export async function openSqliteTasks(path: string): Promise<TaskDatabase> {
  await upgrade(`sqlite:${path}`);
  return tasksIn(new SqliteDialect({ database: await openDatabase(path) }));
}

/** In a Postgres database. */
export async function openPostgresTasks(url: string): Promise<TaskDatabase> {
  await upgrade(url);
  return tasksIn(new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }));
}

function tasksIn(dialect: Dialect): TaskDatabase {
  const database = new Kysely<unknown>({ dialect });
  return { taskStore: new DatabaseTaskStore(database), close: () => database.destroy() };
}

async function upgrade(url: string): Promise<void> {
  const sdk = dirname(createRequire(import.meta.url).resolve("@a2a-js/sdk"));
  const tool = join(sdk, "cli", "a2a_db.js");
  await promisify(execFile)(process.execPath, [tool, "upgrade", "--store", "tasks", "--url", url]);
}

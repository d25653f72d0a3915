// Compiles migrations, `NNNN_snake_case.sql` with an up and a down part, into one TypeScript module for
// each folder, so that whoever applies them needs no file system. Called by the Nx targets
// `generate-migrations` of both projects.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT } from "./process.mjs";

/** The compiled modules: where their sources are, where they stand, and what they export. */
export const ASSETS = [
  {
    sources: "pkg/migrations/sqlite",
    asset: "pkg/src/drivers/sqlite/migrations.generated.ts",
    name: "sqliteMigrations",
    typeFrom: "../sql/run-table.js",
  },
  {
    sources: "pkg/migrations/postgres",
    asset: "pkg/src/drivers/postgres/migrations.generated.ts",
    name: "postgresMigrations",
    typeFrom: "../sql/run-table.js",
  },
  {
    sources: "pkg/migrations/sqlite-tasks",
    asset: "pkg/src/drivers/sqlite/task-migrations.generated.ts",
    name: "sqliteTaskMigrations",
    typeFrom: "../sql/run-table.js",
  },
  {
    sources: "pkg/migrations/postgres-tasks",
    asset: "pkg/src/drivers/postgres/task-migrations.generated.ts",
    name: "postgresTaskMigrations",
    typeFrom: "../sql/run-table.js",
  },
  {
    sources: "js-harness/src/stores/migrations/sqlite",
    asset: "js-harness/src/stores/migrations/sqlite.generated.ts",
    name: "sqliteHostMigrations",
    typeFrom: "skein-results/sqlite",
  },
  {
    sources: "js-harness/src/stores/migrations/postgres",
    asset: "js-harness/src/stores/migrations/postgres.generated.ts",
    name: "postgresHostMigrations",
    typeFrom: "skein-results/postgres",
  },
];

/** The text of a compiled module, from its sources as they are now. */
export function compiled({ sources, name, typeFrom }) {
  const folder = join(ROOT, sources);
  const entries = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => entry(file, readFileSync(join(folder, file), "utf8")));
  return `// Generated from ${sources}/*.sql by the Nx target generate-migrations. Change the SQL instead.

import type { SqlMigration } from "${typeFrom}";

/** Oldest first. */
export const ${name}: readonly SqlMigration[] = [
${entries.join("\n")}
];
`;
}

function entry(file, text) {
  const parts = /^-- Up Migration\n(.*)^-- Down Migration\n(.*)$/ms.exec(text);
  if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file) || !parts) {
    throw new Error(
      `${file}: a migration is named NNNN_snake_case.sql and has "-- Up Migration" and "-- Down Migration" lines.`,
    );
  }
  return `  {
    name: ${JSON.stringify(file.slice(0, -".sql".length))},
    up: ${literal(parts[1])},
    down: ${literal(parts[2])},
  },`;
}

/** A template literal, which keeps the SQL readable in a diff. */
function literal(sql) {
  return "`" + sql.trim().replace(/[\\`]|\$\{/g, "\\$&") + "\n`";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // With a project's folder, only its assets.
  const [project = ""] = process.argv.slice(2);
  for (const target of ASSETS.filter(({ asset }) => asset.startsWith(project))) {
    writeFileSync(join(ROOT, target.asset), compiled(target));
  }
}

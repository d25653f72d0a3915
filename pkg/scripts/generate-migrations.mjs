// Compiles migrations/<dialect>/NNNN_name.sql into src/migrations/<dialect>.generated.ts, so that the
// package needs no file system at run time. `npx nx run skein-results:generate-migrations`.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PACKAGE = new URL("../", import.meta.url);
export const DIALECTS = ["sqlite", "postgres"];

/** The generated module of a dialect, as a text. */
export function compiledMigrations(dialect) {
  const folder = new URL(`migrations/${dialect}/`, PACKAGE);
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  const migrations = names.map((file) =>
    migration(file, readFileSync(new URL(file, folder), "utf8")),
  );
  return [
    `// Generated from migrations/${dialect}/*.sql by \`nx run skein-results:generate-migrations\`.`,
    "// Change the SQL and generate again.",
    "",
    'import type { SqlMigration } from "../run-table.js";',
    "",
    "/** The additive migrations that give a table of runs its results, oldest first. */",
    `export const ${dialect}Migrations: readonly SqlMigration[] = ${JSON.stringify(migrations, null, 2)};`,
    "",
  ].join("\n");
}

/** Where the generated module of a dialect stands. */
export function compiledPath(dialect) {
  return fileURLToPath(new URL(`src/migrations/${dialect}.generated.ts`, PACKAGE));
}

function migration(file, sql) {
  const name = file.replace(/\.sql$/, "");
  const parts = /^-- Up Migration\n([\s\S]*?)\n-- Down Migration\n([\s\S]*)$/.exec(sql);
  if (!/^\d{4}_[a-z0-9_]+$/.test(name) || !parts) {
    throw new Error(
      `${file}: a migration is named NNNN_snake.sql and has a part "-- Up Migration" and a part "-- Down Migration".`,
    );
  }
  return { name, up: parts[1].trim(), down: parts[2].trim() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const dialect of DIALECTS) writeFileSync(compiledPath(dialect), compiledMigrations(dialect));
}

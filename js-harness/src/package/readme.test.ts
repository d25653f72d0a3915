// The example of the README, run as it stands there.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { transform } from "esbuild";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

it("prints what the README says it prints", async () => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const promised = /\n\/\/ (.*)\n$/.exec(example)?.[1];
  const { code } = await transform(example, { loader: "ts", format: "esm" });

  // An empty folder, in which only the packages of the harness are installed.
  const folder = await mkdtemp(join(tmpdir(), "skein-readme-"));
  try {
    await writeFile(join(folder, "example.mjs"), code);
    await linkPackages(folder);
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ["example.mjs"], { cwd: folder });
    expect(stdout.trim()).toBe(promised);
    expect(promised).toContain("completed");
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  const installed = join(ROOT, "js-harness", "node_modules", "skein-results");
  await symlink(installed, join(modules, "skein-results"));
  await symlink(join(ROOT, "node_modules", "better-sqlite3"), join(modules, "better-sqlite3"));
}

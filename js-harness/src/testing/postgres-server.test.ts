import { once } from "node:events";
import { existsSync } from "node:fs";

import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { childProgram, type ChildProgram } from "./child-program.js";
import { freshDatabase, startPostgres } from "./postgres-server.js";

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe("a Postgres server for tests", () => {
  let starting: ChildProgram;
  beforeAll(async () => {
    starting = await childProgram(new URL("programs/start-postgres.ts", import.meta.url));
  });
  afterAll(() => starting.remove());
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("is the one that DATABASE_URL names, which is left running", async () => {
    vi.stubEnv("DATABASE_URL", "postgres://elsewhere/agents");

    const server = await startPostgres();

    expect(server.url).toBe("postgres://elsewhere/agents");
    await server.stop();
  });

  it("is a throwaway one otherwise, with databases of their own for those who ask", async () => {
    vi.stubEnv("DATABASE_URL", undefined);
    const server = await startPostgres();
    const first = await freshDatabase(server.url);
    const second = await freshDatabase(server.url);

    await ask(first.url, "CREATE TABLE mine (id int)");
    expect(await ask(second.url, "SELECT to_regclass('mine') AS mine")).toEqual([{ mine: null }]);
    expect(await ask(first.url, "SHOW server_encoding")).toEqual([{ server_encoding: "UTF8" }]);
    const leftConnected = new pg.Client({ connectionString: first.url });
    leftConnected.on("error", () => {});
    await leftConnected.connect();
    await first.drop();
    await expect(ask(first.url, "SELECT 1")).rejects.toMatchObject({ code: "3D000" });

    await server.stop();
    await expect(ask(second.url, "SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("ends with the process that started it, and leaves nothing on the disk", async () => {
    vi.stubEnv("DATABASE_URL", undefined);
    const child = starting.start();
    const [{ url }] = (await once(child, "message")) as [{ url: string }];
    const rows = await ask(url, "SHOW data_directory");
    const [{ data_directory: directory }] = rows as [{ data_directory: string }];
    expect(existsSync(directory)).toBe(true);

    child.kill("SIGKILL");

    await expect.poll(() => existsSync(directory), { timeout: 10_000 }).toBe(false);
    await expect(ask(url, "SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

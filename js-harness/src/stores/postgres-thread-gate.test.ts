import { setTimeout as delay } from "node:timers/promises";

import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startPostgres, type PostgresServer } from "../testing/postgres-server.js";

import {
  openPostgresThreadGate,
  threadLockKey,
  type PostgresThreadGate,
} from "./postgres-thread-gate.js";

describe("the thread gate over Postgres", () => {
  let server: PostgresServer;
  /** As two processes have it: a gate each, over connections of their own. */
  let here: PostgresThreadGate;
  let there: PostgresThreadGate;

  beforeAll(async () => {
    server = await startPostgres();
    here = openPostgresThreadGate({ url: server.url });
    there = openPostgresThreadGate({ url: server.url });
  });
  afterAll(async () => {
    await here.close();
    await there.close();
    await server.stop();
  });

  // Long before the pool would close an idle connection, which frees a lock as well.
  it(
    "lets one executor at a time onto a thread, and the next as soon as it leaves",
    { timeout: 5000 },
    async () => {
      const events: string[] = [];
      const execute = async ({ gate }: PostgresThreadGate, name: string): Promise<void> => {
        const lease = await gate.acquire("t1");
        events.push(`${name} begins`);
        await delay(50);
        events.push(`${name} ends`);
        await lease.release();
      };

      await Promise.all([execute(here, "a"), execute(there, "b"), execute(here, "c")]);

      expect(events).toHaveLength(6);
      for (let index = 0; index < events.length; index += 2) {
        expect(events[index + 1]).toBe(events[index]?.replace("begins", "ends"));
      }
    },
  );

  it("does not make one thread wait for another", async () => {
    const lease = await here.gate.acquire("t2");

    const other = await there.gate.acquire("t3");

    await other.release();
    await lease.release();
  });

  it("waits longer than a statement may take", async () => {
    const hurried = openPostgresThreadGate({
      url: `${server.url}?options=-c%20statement_timeout%3D200`,
    });
    // The second time on a connection that has waited before.
    for (const turn of ["first", "second"]) {
      const lease = await here.gate.acquire(`t4-${turn}`);
      const waiting = hurried.gate.acquire(`t4-${turn}`);
      await delay(500);
      await lease.release();

      await (await waiting).release();
    }
    await hurried.close();
  });

  it("frees the thread of an executor whose connection has ended, which may then still release", async () => {
    const lease = await here.gate.acquire("t5");

    await endSessionsThatHold(server.url, "t5");
    const next = await there.gate.acquire("t5");

    await lease.release();
    await next.release();
  });

  it("releases once, however often it is asked to", async () => {
    const lease = await here.gate.acquire("t6");
    await lease.release();
    const next = await here.gate.acquire("t6");
    await lease.release();

    const held = await Promise.race([
      there.gate.acquire("t6").then((late) => late.release()),
      delay(150, "still held"),
    ]);

    expect(held).toBe("still held");
    await next.release();
  });

  it("fails the executor that asks if the server cannot be reached", async () => {
    const unreachable = openPostgresThreadGate({ url: "postgres://somebody@127.0.0.1:1/agents" });

    await expect(unreachable.gate.acquire("t7")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await unreachable.close();
  });

  it("has a key of 64 bits for any thread id", () => {
    const keys = ["", "t", "t1", "\u{1F600}", "x".repeat(300)].map(threadLockKey);

    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(BigInt.asIntN(64, BigInt(key)).toString()).toBe(key);
  });
});

async function endSessionsThatHold(url: string, threadId: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT pg_terminate_backend(pid) AS ended FROM pg_locks
      WHERE locktype = 'advisory' AND granted
        AND ((classid::bigint << 32) | objid::bigint) = $1::bigint`,
    [threadLockKey(threadId)],
  );
  await client.end();
  expect(rows).toEqual([{ ended: true }]);
}

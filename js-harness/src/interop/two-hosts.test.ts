// Two hosts on one database, as two processes are: they share no lock but the store's.

import type { Client } from "@a2a-js/sdk/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { a2aMount } from "../a2a/mount.js";
import { postgres, sqlite, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";

import { cancelTask, connect, getTask, send, stateOf, wireParts } from "./client.js";

describe.each([sqlite, postgres])("two hosts on $name", (kind) => {
  let place: HostPlace;
  let hosts: Host[];
  let clients: Client[];
  beforeEach(async () => {
    place = await kind.prepare();
    hosts = [];
    clients = [];
    for (let count = 0; count < 2; count += 1) {
      const host = await place.open({ mount: a2aMount({ assistantId: "ask" }) });
      hosts.push(host);
      clients.push(await connect((await host.listen()).url));
    }
  });
  afterEach(async () => {
    for (const host of hosts) await host.close();
    await place.remove();
  });

  const [ROUNDS, ANSWERS] = [5, 10];
  const clientAt = (place: number): Client => {
    const client = clients[place % clients.length];
    if (!client) throw new Error("There is no such host.");
    return client;
  };
  const runsOf = async (threadId: string) =>
    (await hosts[0]?.store.runs.listByThread(threadId)) ?? [];

  it("take one of ten answers that arrive at the same time at both", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, contextId } = await send(clientAt(round), "Ship it");

      const answers = await Promise.allSettled(
        Array.from({ length: ANSWERS }, (_, place) =>
          send(clientAt(place), `yes ${place}`, { taskId: id }),
        ),
      );

      const taken = answers.flatMap((answer) =>
        answer.status === "fulfilled" ? answer.value : [],
      );
      expect(taken.map(stateOf)).toEqual(["COMPLETED"]);
      expect(await runsOf(contextId)).toHaveLength(2);
      const [answered] = taken.map(wireParts);
      for (const client of clients) {
        expect(wireParts(await getTask(client, id))).toEqual(answered);
      }
    }
  });

  it("let either the answer or the cancellation win, and both tell it so", async () => {
    for (let round = 0; round < ROUNDS * 2; round += 1) {
      const { id, contextId } = await send(clientAt(round), "Ship it");

      const [answer, cancel] = await Promise.allSettled([
        send(clientAt(round), "yes", { taskId: id }),
        cancelTask(clientAt(round + 1), id),
      ]);

      const read = await getTask(clientAt(0), id);
      expect(await getTask(clientAt(1), id)).toEqual(read);
      const runs = await runsOf(contextId);
      if (stateOf(read) === "COMPLETED") {
        expect([answer.status, cancel.status]).toEqual(["fulfilled", "rejected"]);
        expect(runs.map(({ status }) => status)).toEqual(["interrupted", "success"]);
      } else {
        // Also an answer that was taken may be cancelled before it is executed to its end.
        expect(stateOf(read)).toBe("CANCELED");
        expect(cancel.status).toBe("fulfilled");
        expect(read.artifacts).toEqual([]);
        expect(runs.at(-1)?.status).toBe("cancelled");
      }
    }
  });
});

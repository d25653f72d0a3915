// A result that is too large for the engine's longest text, or for the store that is to keep it (case
// P-06): the run ends in `error` with the reason, its thread is free, and what is merely large is kept, as
// is every double to its last bit.

import { isDeepStrictEqual } from "node:util";

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { replyWith } from "../engine/declared-reply.js";
import { hostKinds, memory, type HostPlace } from "../engine/testing/hosts.js";
import { inTwoSteps, withRuns } from "../engine/testing/store-wrappers.js";
import { openHost, type Host } from "../host.js";
import type { SkeinStore } from "../stores/contract.js";
import { storeKinds } from "../stores/testing/store-places.js";

import { getTask, send, stateOf, wireParts } from "./client.js";
import { jsonInput, serveAgent, type ServedAgent } from "./testing/agent.js";

const CANARY = "a-large-result ";
const textOf = (length: number): string => CANARY.repeat(length / CANARY.length);
/** V8's longest string has some 2^29 characters; the parts are one text, so that only the JSON is long. */
const LONG_PART = textOf(2 ** 24);
const MEGABYTE = textOf(2 ** 20);
/** The largest result that a store takes, where it has such a limit. */
const LIMIT = 100_000;
const DOUBLES = { a: 1e21, b: 1e-7, c: 5e-324, d: Number.MAX_VALUE, e: 100, f: 1.0 };
const SIZES = {
  doubles: DOUBLES,
  small: { answer: 42 },
  "over the limit": { text: textOf(2 * LIMIT) },
  "sixty megabytes": { parts: Array.from({ length: 60 }, (_, part) => `${part} ${MEGABYTE}`) },
  "no text can hold it": { parts: Array<string>(33).fill(LONG_PART) },
};
type Size = keyof typeof SIZES;

const State = Annotation.Root({
  size: Annotation<Size>,
  place: Annotation<"state" | "reply">,
  value: Annotation<unknown>,
});

/** Comes out with so much, at the place that its input names. */
const sized = new StateGraph(State)
  .addNode("answer", ({ size, place }, { writer }) => {
    if (place === "state") return { value: SIZES[size] };
    writer(replyWith(SIZES[size]));
    return { value: null };
  })
  .addEdge(START, "answer")
  .addEdge("answer", END);

const TOO_LARGE = "The result is too large for this store.";

/** What a database does that is full, or has a limit: it refuses the write. */
const LIMITS: Readonly<Record<string, string>> = {
  "an SQLite file": `CREATE TRIGGER too_large BEFORE UPDATE ON runs
    WHEN length(NEW.result_values) > ${LIMIT} OR length(NEW.result_reply) > ${LIMIT}
    BEGIN SELECT RAISE(ABORT, '${TOO_LARGE}'); END`,
  Postgres: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '${TOO_LARGE}'; END $$;
    CREATE TRIGGER too_large BEFORE UPDATE ON runs FOR EACH ROW
      WHEN (length(NEW.result_values) > ${LIMIT} OR length(NEW.result_reply) > ${LIMIT})
      EXECUTE FUNCTION refuse()`,
};

/** The same of a store that is no database. */
function limited(store: SkeinStore): SkeinStore {
  const admit = (result: unknown): void => {
    if (JSON.stringify(result ?? null).length > LIMIT) throw new Error(TOO_LARGE);
  };
  return withRuns(store, (runs) => ({
    recordResult: async (runId, result) => {
      admit(result);
      await runs.recordResult?.(runId, result);
    },
    settleRun: async (runId, settle) => {
      admit(settle.result);
      return (await runs.settleRun?.(runId, settle)) ?? null;
    },
  }));
}

/** How the end of a run is written. */
const WAYS: readonly [string, (store: SkeinStore) => SkeinStore][] = [
  ["in one write", (store) => store],
  ["in two steps", inTwoSteps],
];

describe.each(hostKinds)("a large result on $name", (kind) => {
  let place: HostPlace;
  const opened: ServedAgent[] = [];
  beforeEach(async () => {
    place = await kind.prepare();
  });
  afterEach(async () => {
    for (const { host } of opened.splice(0)) await host.close();
    await place.remove();
  });

  const serve = async (storeSeen: (store: SkeinStore) => SkeinStore): Promise<ServedAgent> => {
    const agent = { assistantId: "sized", toInput: jsonInput };
    const served = await serveAgent(place, agent, { graphs: { sized }, storeSeen });
    opened.push(served);
    return served;
  };

  const sendSized = ({ client }: ServedAgent, size: Size, at: string, contextId = "") =>
    send(client, JSON.stringify({ size, place: at }), { contextId });

  /** A task that failed for its size, whose context has taken the next one; also when opened again. */
  const requireRefused = async (
    agent: ServedAgent,
    size: Size,
    at: string,
    reason: RegExp,
  ): Promise<void> => {
    const failed = await sendSized(agent, size, at);
    const next = await sendSized(agent, "small", "reply", failed.contextId);

    const requireShown = async ({ host, client }: ServedAgent) => {
      const row = await host.store.runs.get(failed.id);
      expect(row?.status).toBe("error");
      expect(row?.error?.message).toMatch(reason);
      expect(await host.store.runs.getResult?.(failed.id)).toBeNull();
      const read = await getTask(client, failed.id);
      expect(read).toEqual(failed);
      expect(stateOf(read)).toBe("FAILED");
      expect(read.artifacts).toEqual([]);
      expect(JSON.stringify([read.status, row])).not.toContain(CANARY.repeat(2));
      expect(wireParts(await getTask(client, next.id))).toEqual([{ data: SIZES.small }]);
      expect((await host.services().threads.get(failed.contextId)).status).toBe("idle");
    };
    await requireShown(agent);
    if (!kind.durable) return;
    await agent.host.close();
    await requireShown(await serve((store) => store));
  };

  // Refused before the store is asked, and so the same on all of them.
  if (kind === memory) {
    it("is refused where no text can hold it, and the next run of its thread works", async () => {
      const agent = await serve((store) => store);

      await requireRefused(agent, "no text can hold it", "reply", /reply/);
    });
  }

  describe.each(WAYS)("whose run is ended %s", (_name, way) => {
    it.each(["state", "reply"])(
      "is refused where the store does not take it (%s), and the next run of its thread works",
      async (at) => {
        const own = LIMITS[kind.name];
        const agent = await serve(own === undefined ? (store) => way(limited(store)) : way);
        if (own !== undefined) await place.execute?.(own);

        await requireRefused(agent, "over the limit", at, new RegExp(TOO_LARGE));
      },
    );
  });
});

/** Whether sixty megabytes are what a store gives back; a comparison that fails must not print them. */
const isWhole = (found: unknown): boolean => isDeepStrictEqual(found, SIZES["sixty megabytes"]);

const runSized = async (host: Host, size: Size, at: string): Promise<string> => {
  const { runs, threads } = host.services();
  const { thread_id: threadId } = await threads.create();
  const input = { size, place: at };
  const request = { threadId, assistantId: "sized", input };
  const { run, outcome } = await runs.submit(request, {
    mark: (root) => ({ root, turn: 0, message: null }),
  });
  expect((await outcome)?.status).toBe("success");
  return run.run_id;
};

it.each(hostKinds)("doubles are kept to their last bit on $name", async (kind) => {
  const place = await kind.prepare();
  let host = await place.open({ graphs: { sized } });
  const runIds = [
    await runSized(host, "doubles", "reply"),
    await runSized(host, "doubles", "state"),
  ];

  if (kind.durable) {
    await host.close();
    host = await place.open({ graphs: { sized } });
  }

  const [replied, stated] = await Promise.all(
    runIds.map(async (runId) => host.store.runs.getResult?.(runId)),
  );
  for (const kept of [replied?.reply, (stated?.values as { value?: unknown }).value]) {
    const leaves = Object.entries(kept as Record<string, unknown>);
    expect(leaves).toHaveLength(Object.keys(DOUBLES).length);
    for (const [name, number] of Object.entries(DOUBLES)) {
      expect(leaves.some(([key, leaf]) => key === name && Object.is(leaf, number))).toBe(true);
    }
  }
  await host.close();
  await place.remove();
});

describe("sixty megabytes are kept whole", () => {
  it.each(hostKinds)("as a reply on $name, also when it is opened again", async (kind) => {
    const place = await kind.prepare();
    let host = await place.open({ graphs: { sized } });
    const runId = await runSized(host, "sixty megabytes", "reply");

    if (kind.durable) {
      await host.close();
      host = await place.open({ graphs: { sized } });
    }

    expect(isWhole((await host.store.runs.getResult?.(runId))?.reply)).toBe(true);
    await host.close();
    await place.remove();
  });

  // In the memory saver: that of Postgres reads a state back through pg's array parser, which keeps it
  // character by character, and V8 ends the process where that array grows too large.
  const kinds = storeKinds.filter(({ name }) => !name.includes("foreign keys"));
  it.each(kinds)("as a state in $name", async (kind) => {
    const opened = await kind.open();
    const { store } = opened;
    const host = await openHost({ store, saver: new MemorySaver(), graphs: { sized } });

    const runId = await runSized(host, "sixty megabytes", "state");
    const result = await store.runs.getResult(runId);

    expect(isWhole((result?.values as { value?: unknown }).value)).toBe(true);
    await host.close();
    await opened.close();
  });
});

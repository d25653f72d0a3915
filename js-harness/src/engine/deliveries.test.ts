import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openHost, type Host } from "../host.js";
import type { SkeinStore } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import { LiveSaver } from "./testing/live-saver.js";
import { inTwoSteps, withThreads } from "./testing/store-wrappers.js";

const mark = (root: string) => ({ root, turn: 0, message: '{"text":"for the task only"}' });

/** A receiver of callbacks on a real port. */
class Receiver {
  readonly bodies: unknown[] = [];
  /** How often it refuses before it accepts. */
  refusals = 0;
  readonly #server = createServer((request, response) => {
    void json(request).then((body) => {
      if (this.refusals > 0) {
        this.refusals -= 1;
        response.writeHead(503).end();
        return;
      }
      this.bodies.push(body);
      response.writeHead(204).end();
    });
  });

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    return typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

let receiver: Receiver;
let webhook: string;
let host: Host;

beforeEach(async () => {
  receiver = new Receiver();
  webhook = await receiver.listen();
});
afterEach(async () => {
  await host.close();
  receiver.close();
});

async function run(
  store: SkeinStore,
  assistantId: string,
  input: unknown,
  { saver = new MemorySaver(), marked = true } = {},
) {
  host = await openHost({ store, saver, log: () => {} });
  const { runs } = host.services();
  const request = { threadId: null, assistantId, input, webhook };
  const submitted = await runs.submit(request, marked ? { mark } : {});
  await submitted.outcome;
  return runs.get(submitted.run.run_id);
}

const variants: [string, (store: SkeinStore) => SkeinStore][] = [
  ["in one write", (store) => store],
  ["in two steps", inTwoSteps],
];

describe.each(variants)("the callback of a run that a store ends %s", (_name, variant) => {
  it("says how the run ended and what it came to, and is forgotten once it has arrived", async () => {
    const { store } = openMemoryStore();
    const { run_id, thread_id } = await run(variant(store), "echo", { value: "first" });

    expect(receiver.bodies).toEqual([
      expect.objectContaining({
        run_id,
        thread_id,
        status: "success",
        values: { value: "echo: first" },
      }),
    ]);
    expect(await store.deliveries?.listByRun(run_id)).toMatchObject([
      { status: "delivered", payload: null, run_status: "success" },
    ]);
  });

  it("says why a run failed", async () => {
    await run(variant(openMemoryStore().store), "failing", { value: "No luck." });

    expect(receiver.bodies).toMatchObject([{ status: "error", error: "No luck.", values: {} }]);
  });

  it("carries the questions of a run that has paused", async () => {
    await run(variant(openMemoryStore().store), "ask", { value: "Ship it" });

    const [body] = receiver.bodies as { interrupts: Record<string, { value: unknown }[]> }[];
    const questions = Object.values(body?.interrupts ?? {}).flat();
    expect(questions.map(({ value }) => value)).toEqual([{ question: "Ship it?" }]);
  });

  it("tells nothing of the mark", async () => {
    await run(variant(openMemoryStore().store), "echo", { value: "first" });

    expect(JSON.stringify(receiver.bodies)).not.toContain("for the task only");
  });

  it("is sent once, and of the end that counts, when the run is settled twice", async () => {
    const { store } = openMemoryStore();
    const unshown = withThreads(store, (threads) => ({
      update: (threadId, patch) =>
        patch.values === undefined
          ? threads.update(threadId, patch)
          : Promise.reject(new Error("The thread's row is out of reach.")),
    }));
    const { run_id } = await run(variant(unshown), "echo", { value: "first" });

    expect(receiver.bodies).toMatchObject([{ status: "success" }]);
    expect(await store.deliveries?.listByRun(run_id)).toHaveLength(1);
  });

  it("tells of the failure when the result could not be captured", async () => {
    const { store } = openMemoryStore();
    const input = { kind: "bigint", place: "state" };
    const { run_id } = await run(variant(store), "unserializable", input, {
      saver: new LiveSaver(),
    });

    expect(receiver.bodies).toMatchObject([{ status: "error" }]);
    expect(await store.deliveries?.listByRun(run_id)).toHaveLength(1);
  });

  it("is dropped when JSON cannot carry it, and does not fail the run", async () => {
    const { store } = openMemoryStore();
    const input = { kind: "bigint", place: "state" };
    const ended = await run(variant(store), "unserializable", input, {
      saver: new LiveSaver(),
      marked: false,
    });

    expect(ended.status).toBe("success");
    expect(receiver.bodies).toEqual([]);
  });
});

describe("a receiver that is down for a while", () => {
  it("gets the callback later", async () => {
    receiver.refusals = 1;
    const { store } = openMemoryStore();
    const { run_id } = await run(store, "echo", { value: "first" });
    expect(receiver.bodies).toEqual([]);
    expect(await store.deliveries?.listByRun(run_id)).toMatchObject([
      { status: "pending", attempt: 1, last_error: "The receiver answered 503." },
    ]);

    await expect.poll(() => receiver.bodies, { timeout: 5_000 }).toHaveLength(1);

    const delivery = async () => (await store.deliveries?.listByRun(run_id))?.[0];
    await expect.poll(delivery).toMatchObject({ status: "delivered", attempt: 2, payload: null });
  });
});

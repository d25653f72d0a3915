import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";

import { openHost } from "../host.js";
import { openMemoryStore } from "../stores/memory.js";

import { Gate, withRuns, withThreads } from "./testing/store-wrappers.js";

/** Takes its time over a checkpoint, and tells when it begins with it. */
class SlowSaver extends MemorySaver {
  readonly gate = new Gate();

  override async put(...given: Parameters<MemorySaver["put"]>) {
    if (given[2].step === 0) await this.gate.pass();
    return super.put(...given);
  }
}

describe("a graph that is stopped while it writes a checkpoint", () => {
  it("keeps its thread until it has written, so that a deletion leaves nothing behind", async () => {
    const saver = new SlowSaver();
    const { store } = openMemoryStore();
    const host = await openHost({ store, saver, log: () => undefined });
    const { runs, threads } = host.services();
    const { thread_id } = await threads.create();
    const request = { threadId: thread_id, assistantId: "slow-echo", input: { value: "in" } };
    const { run } = await runs.submit(request);
    await saver.gate.reached;

    const deleted = threads.delete(thread_id);
    await expect.poll(async () => (await store.runs.get(run.run_id))?.status).toBe("cancelled");
    const early = await Promise.race([deleted.then(() => "deleted"), turns(20)]);
    saver.gate.open();
    await deleted;
    await turns(20);

    expect(early).toBe("waits");
    expect(saver.storage).not.toHaveProperty(thread_id);
    await host.close();
  });
});

/** Takes a few turns over whatever is written. */
class UnhurriedSaver extends MemorySaver {
  override async put(...given: Parameters<MemorySaver["put"]>) {
    await turns(3);
    return super.put(...given);
  }

  override async putWrites(...given: Parameters<MemorySaver["putWrites"]>) {
    await turns(2);
    return super.putWrites(...given);
  }
}

describe("a thread that is deleted while its run executes", () => {
  it.each(["echo", "slow-echo"])(
    "has nothing written to it afterwards, whenever that is (%s)",
    async (assistantId) => {
      const saver = new UnhurriedSaver();
      const { store } = openMemoryStore();
      const host = await openHost({ store, saver, log: () => undefined });
      const { runs, threads } = host.services();
      const deleted: string[] = [];
      for (let turn = 0; turn < 40; turn += 1) {
        const { thread_id } = await threads.create();
        await runs.submit({ threadId: thread_id, assistantId, input: { value: "in" } });
        await turns(turn);
        await threads.delete(thread_id);
        deleted.push(thread_id);
      }
      await turns(100);

      expect(deleted.filter((thread) => thread in saver.storage)).toEqual([]);
      await host.close();
    },
  );
});

async function turns(count: number): Promise<string> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
  return "waits";
}

describe("what a run notes while its graph sets out", () => {
  /** Notes a run's base checkpoint at a gate, or fails to show that it executes. */
  const opened = async (gate: Gate, shown: () => Promise<void>) => {
    const { store } = openMemoryStore();
    const written: string[] = [];
    class TellingSaver extends MemorySaver {
      override put(...given: Parameters<MemorySaver["put"]>) {
        written.push("checkpoint");
        return super.put(...given);
      }
    }
    const noting = withRuns(store, (runs) => ({
      recordBaseCheckpoint: async (...given) => {
        await gate.pass();
        written.push("base");
        await runs.recordBaseCheckpoint(...given);
      },
    }));
    const showing = withThreads(noting, (threads) => ({
      update: async (...given) => {
        if (given[1].status === "busy") await shown();
        return threads.update(...given);
      },
    }));
    const saver = new TellingSaver();
    return { host: await openHost({ store: showing, saver, log: () => undefined }), written };
  };
  const request = { threadId: null, assistantId: "echo", input: { value: "in" } };

  it("is there before the first checkpoint", async () => {
    const gate = new Gate();
    const { host, written } = await opened(gate, () => Promise.resolve());
    const { outcome } = await host.services().runs.submit(request);

    await gate.reached;
    await turns(50);
    expect(written).toEqual([]);
    gate.open();

    expect(await outcome).toMatchObject({ status: "success" });
    expect(written.slice(0, 2)).toEqual(["base", "checkpoint"]);
    await host.close();
  });

  it("fails the run where it fails, and then nothing has been written", async () => {
    const gate = new Gate();
    gate.open();
    const { host, written } = await opened(gate, () => Promise.reject(new Error("No connection.")));

    const { outcome } = await host.services().runs.submit(request);

    expect(await outcome).toMatchObject({ status: "error", error: { message: "No connection." } });
    expect(written).toEqual(["base"]);
    await host.close();
  });
});

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { MemorySaver, type BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { echo } from "../graphs/echo.js";
import { openHost, type Host } from "../host.js";
import type { SnapshotStore } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";
import type { ThreadService } from "../threads/thread-service.js";

import type { Graph } from "./graph.js";
import type { RunService } from "./run-service.js";
import { Gate } from "./testing/store-wrappers.js";

type Config = Parameters<MemorySaver["getTuple"]>[0];

/** Tells what it is asked for, and may fail or do something else before it answers. */
class AskedSaver extends MemorySaver {
  readonly asked: Config[] = [];
  before: (config: Config) => Promise<void> = () => Promise.resolve();
  after: () => Promise<void> = () => Promise.resolve();

  override async getTuple(config: Config) {
    this.asked.push(config);
    await this.before(config);
    const tuple = await super.getTuple(config);
    await this.after();
    return tuple;
  }
}

/** The same saver, which is read in another way. */
function readingBy(
  saver: BaseCheckpointSaver,
  getTuple: BaseCheckpointSaver["getTuple"],
): BaseCheckpointSaver {
  return new Proxy(saver, {
    get: (target, name) =>
      name === "getTuple" ? getTuple : (Reflect.get(target, name) as unknown),
  });
}

/** The same saver, called from outside of whatever a call to it is made by. */
function calledByWorker(saver: BaseCheckpointSaver): BaseCheckpointSaver {
  const jobs: (() => void)[] = [];
  const worker = setInterval(() => {
    for (const job of jobs.splice(0)) job();
  }, 1);
  worker.unref();
  return new Proxy(saver, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown;
      if (!["getTuple", "put", "putWrites"].includes(String(name))) return member;
      const call = member as (...given: unknown[]) => Promise<unknown>;
      return (...given: unknown[]) =>
        new Promise((resolve, reject) => {
          jobs.push(() => void call(...given).then(resolve, reject));
        });
    },
  });
}

const isTip = ({ configurable = {} }: Config): boolean => !configurable["checkpoint_id"];

describe("the checkpoint that a run began from", () => {
  let saver: AskedSaver;
  let store: SnapshotStore;
  let host: Host | undefined;
  let runs: RunService;
  let threads: ThreadService;
  let told: string[];
  let threadId: string;
  /** With another graph in place of the usual one. */
  const open = async (graph: Graph = echo): Promise<void> => {
    await host?.close();
    saver = new AskedSaver();
    ({ store } = openMemoryStore());
    told = [];
    const log = (message: string) => told.push(message);
    host = await openHost({ store, saver, log, graphs: { echo: graph } });
    ({ runs, threads } = host.services());
    ({ thread_id: threadId } = await threads.create());
  };
  beforeEach(() => open());
  afterEach(() => host?.close());

  const run = async (value: string, from: { checkpointId?: string } = {}) => {
    const request = { threadId, assistantId: "echo", input: { value }, ...from };
    const { run, outcome } = await runs.submit(request);
    return { runId: run.run_id, outcome: await outcome };
  };
  const baseOf = async (runId: string) => (await store.runs.getKwargs(runId))?.base_checkpoint_id;
  const tipId = async (): Promise<string> => {
    const tip = await saver.getTuple({ configurable: { thread_id: threadId } });
    if (!tip) throw new Error("The thread has no checkpoint.");
    return tip.checkpoint.id;
  };
  const expectTipAsBase = async () => {
    await run("first");
    const before = await tipId();
    const { runId } = await run("second");
    expect(await baseOf(runId)).toBe(before);
    return { before };
  };

  /** By somebody who does not ask for the thread's claim. */
  const edit = async () => {
    const config = { configurable: { thread_id: threadId } };
    await echo.compile({ checkpointer: saver }).updateState(config, { value: "edited" });
  };

  it("is none on an empty thread, and the tip on any other", async () => {
    const { runId } = await run("first");
    expect(await baseOf(runId)).toBeNull();

    await expectTipAsBase();
  });

  it("is read by the graph alone", async () => {
    await run("first");

    // Once for the graph to begin from, and once for the state that it ended in.
    expect(saver.asked.filter(isTip)).toHaveLength(2);
  });

  it("is what the graph began from, whatever was written since the run was started", async () => {
    await run("first");
    let edited: string | undefined;
    saver.before = async () => {
      saver.before = () => Promise.resolve();
      await edit();
      edited = await tipId();
    };
    const { runId } = await run("second");

    expect(edited).toBeDefined();
    expect(await baseOf(runId)).toBe(edited);
  });

  it("is the tip for a run that goes on from an earlier checkpoint", async () => {
    await run("first");
    const earlier = await tipId();
    await run("second");
    const before = await tipId();
    const { runId } = await run("third", { checkpointId: earlier });

    expect(saver.asked.some((config) => config.configurable?.["checkpoint_id"] === earlier)).toBe(
      true,
    );
    expect(await baseOf(runId)).toBe(before);
  });

  describe("of a graph that reads it from elsewhere", () => {
    const elsewhere: Graph = {
      compile: ({ checkpointer }) => {
        const getTuple = (config: Config) => MemorySaver.prototype.getTuple.call(saver, config);
        return echo.compile({ checkpointer: readingBy(checkpointer, getTuple) });
      },
    };
    beforeEach(() => open(elsewhere));

    it("is read before it writes", async () => {
      await expectTipAsBase();
    });

    it("is unknown where it cannot be read, and the run goes on", async () => {
      await run("first");
      saver.before = () => Promise.reject(new Error("No connection."));
      const { runId, outcome } = await run("second");

      expect(outcome).toMatchObject({ status: "success" });
      expect(await baseOf(runId)).toBeUndefined();
      expect(told).toEqual([expect.stringContaining("cannot be rolled back")]);
    });
  });

  it("is noted for a graph that has its saver called by a worker of its own", async () => {
    const queued: Graph = {
      compile: ({ checkpointer }) => echo.compile({ checkpointer: calledByWorker(checkpointer) }),
    };
    await open(queued);
    await expectTipAsBase();
  });

  it("is not what somebody else has begun to read before", async () => {
    await run("first");
    const [reading, setsOut] = [new Gate(), new Gate()];
    saver.after = () => reading.pass();
    const state = threads.getState(threadId);
    await reading.reached;
    saver.after = () => Promise.resolve();
    await edit();
    const edited = await tipId();

    saver.before = () => setsOut.pass();
    const second = run("second");
    await setsOut.reached;
    reading.open();
    await state;
    setsOut.open();

    expect(await baseOf((await second).runId)).toBe(edited);
  });

  it("is not taken from what a node reads of its own thread", async () => {
    let inside: string | undefined;
    const reading: Graph = new StateGraph(Annotation.Root({ value: Annotation<string> }))
      .addNode("answer", async ({ value }) => {
        inside = await tipId();
        await threads.getState(threadId);
        return { value: `echo: ${value}` };
      })
      .addEdge(START, "answer")
      .addEdge("answer", END);
    await open(reading);
    const { before } = await expectTipAsBase();

    expect(inside).not.toBe(before);
  });

  it("is not taken from another checkpoint that is read before it", async () => {
    const wandering: Graph = {
      compile: ({ checkpointer }) => {
        const getTuple = async (config: Config) => {
          const others = [
            { thread_id: "another" },
            { thread_id: threadId, checkpoint_ns: "inner" },
          ];
          for (const configurable of others) await checkpointer.getTuple({ configurable });
          return checkpointer.getTuple(config);
        };
        return echo.compile({ checkpointer: readingBy(checkpointer, getTuple) });
      },
    };
    await open(wandering);
    await expectTipAsBase();
  });

  it("is not noted for a run that wrote nothing, and then nothing is taken back", async () => {
    await run("first");
    const before = await tipId();
    saver.before = () => Promise.reject(new Error("No connection."));
    const { runId, outcome } = await run("second");
    saver.before = () => Promise.resolve();

    expect(outcome).toMatchObject({ status: "error" });
    expect(await baseOf(runId)).toBeUndefined();
    expect(await tipId()).toBe(before);
  });
});

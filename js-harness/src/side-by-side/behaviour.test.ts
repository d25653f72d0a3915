// What becomes of a task here, and with the SDK's own handler over its own task store, in the same
// situations. The README's table says what is asserted here.

import type { ChildProcess } from "node:child_process";
import { on, once } from "node:events";

import type { Task } from "@a2a-js/sdk";
import { ServerCallContext, UnauthenticatedUser } from "@a2a-js/sdk/server";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Graph } from "../engine/graph.js";
import { echo } from "../graphs/echo.js";
import { dataPart } from "../sdk-handler/task-events.js";
import { childProgram, type ChildProgram } from "../testing/child-program.js";
import { startPostgres, type PostgresServer } from "../testing/postgres-server.js";

import {
  openBoth,
  postgresOn,
  sqlite,
  textInput,
  type BothAgents,
  type Store,
  type TemporaryPlace,
} from "./agents.js";
import { call, getTask, send, sendAndGo, type WireTask } from "./json-rpc.js";

const ECHO = { graph: echo, toInput: textInput };
/** Who calls, as far as the SDK's task store is told. */
const NOBODY = new ServerCallContext({ user: new UnauthenticatedUser() });

const answerOf = ({ status, artifacts }: WireTask) => ({
  state: status.state.replace("TASK_STATE_", ""),
  parts: artifacts?.flatMap(({ parts }) => parts) ?? [],
});
const echoed = (text: string) => ({
  state: "COMPLETED",
  parts: [{ data: { value: `echo: ${text}` } }],
});

let server: PostgresServer;
let killed: ChildProgram;
let late: ChildProgram;
beforeAll(async () => {
  server = await startPostgres();
  killed = await childProgram(new URL("programs/die-before-the-last-write.ts", import.meta.url));
  late = await childProgram(new URL("programs/hold-the-last-write.ts", import.meta.url));
});
afterAll(async () => {
  await killed.remove();
  await late.remove();
  await server.stop();
});

const stores: [string, () => Store][] = [
  ["an SQLite file", () => sqlite],
  ["Postgres", () => postgresOn(server)],
];

describe.each(stores)("a task on %s", (_name, store) => {
  let place: TemporaryPlace;
  let both: BothAgents;
  beforeAll(async () => {
    place = await store().prepare();
    both = await openBoth(place, ECHO);
  });
  afterAll(async () => {
    await both.close();
    await place.remove();
  });

  it("whose answer is written once more keeps the first here, and has the second there", async () => {
    const { host, tasks, ours, theirs } = both;
    const [mine, other] = [await send(ours, "first"), await send(theirs, "first")];

    await host.store.runs.recordResult?.(mine.id, { values: { value: "echo: late" } });
    const stored = await tasks.taskStore.load(other.id, NOBODY);
    if (!stored) throw new Error("The SDK's store has lost the task.");
    await tasks.taskStore.save(withAnswer(stored, "echo: late"), NOBODY);

    expect(answerOf(await getTask(ours, mine.id))).toEqual(echoed("first"));
    expect(answerOf(await getTask(theirs, other.id))).toEqual(echoed("late"));
  });

  it("is gone with its thread here, and stays there", async () => {
    const { host, ours, theirs } = both;
    const [mine, other] = [await send(ours, "secret"), await send(theirs, "secret")];

    await host.services().threads.delete(mine.contextId);
    await host.saver.deleteThread(other.contextId);

    await expect(getTask(ours, mine.id)).rejects.toThrow("-32001");
    expect(answerOf(await getTask(theirs, other.id))).toEqual(echoed("secret"));
  });
});

describe.each(stores)(
  "a process on %s that is killed before its last write of a task",
  (_name, store) => {
    let place: TemporaryPlace;
    beforeAll(async () => {
      place = await store().prepare();
    });
    afterAll(() => place.remove());

    /** Sends to an agent that dies over it, and answers the task's id. */
    const sentToDeath = async (agent: "ours" | "theirs"): Promise<string> => {
      const child = killed.start(agent, JSON.stringify(place.location));
      const ended = once(child, "exit");
      const [url] = (await once(child, "message")) as [string];
      const { id } = await sendAndGo(url, "last words");
      expect(await ended).toEqual([null, "SIGKILL"]);
      return id;
    };

    it("leaves a task that the next process completes here, and one that works for ever there", async () => {
      const mine = await sentToDeath("ours");
      const other = await sentToDeath("theirs");

      const next = await openBoth(place, ECHO);
      await next.host.services().runs.wait(mine);
      expect(await shownAt(next.ours, mine)).toEqual(echoed("last words"));
      expect((await shownAt(next.theirs, other)).state).toBe("WORKING");
      await next.close();
    });
  },
);

const canceled = { state: "CANCELED", parts: [] };
const POLLING = { timeout: 30_000 };
const shownAt = async (url: string, id: string) => answerOf(await getTask(url, id));

describe.each(stores)("a cancellation on %s while the graph works elsewhere", (_name, store) => {
  let place: TemporaryPlace;
  let held: Held;
  let works: BothAgents;
  let cancels: BothAgents;
  beforeEach(async () => {
    place = await store().prepare();
    held = hold();
    works = await openBoth(place, { graph: holding(held), toInput: textInput });
    cancels = await openBoth(place, ECHO);
  });
  afterEach(async () => {
    await works.close();
    await cancels.close();
    await place.remove();
  });

  const canceledElsewhere = async (agent: "ours" | "theirs"): Promise<string> => {
    const { id } = await sendAndGo(works[agent], "held");
    await held.begun;
    expect(answerOf(await cancel(cancels[agent], id))).toEqual(canceled);
    held.release();
    return id;
  };

  it("holds here, and nothing is shown of what the graph then answers", async () => {
    const id = await canceledElsewhere("ours");
    // Waits for the work.
    await works.close();

    expect(await shownAt(cancels.ours, id)).toEqual(canceled);
  });

  it("holds there, and the canceled task gets what the graph then answers", async () => {
    const id = await canceledElsewhere("theirs");

    await expect
      .poll(() => shownAt(cancels.theirs, id), POLLING)
      .toEqual({ ...echoed("held"), state: "CANCELED" });
  });
});

describe.each(stores)(
  "a cancellation on %s in the moment of another's last write",
  (_name, store) => {
    let place: TemporaryPlace;
    let works: ChildProcess;
    let urls: Record<"ours" | "theirs", string>;
    let cancels: BothAgents;
    beforeAll(async () => {
      place = await store().prepare();
      works = late.start(JSON.stringify(place.location));
      [urls] = (await once(works, "message")) as [typeof urls];
      cancels = await openBoth(place, ECHO);
    });
    afterAll(async () => {
      const ended = once(works, "exit");
      works.kill("SIGKILL");
      await ended;
      await cancels.close();
      await place.remove();
    });

    const canceledElsewhere = async (agent: "ours" | "theirs"): Promise<string> => {
      const isHeld = told(works, "held");
      const { id } = await sendAndGo(urls[agent], "held");
      await isHeld;
      expect((await cancel(cancels[agent], id)).status.state).toBe("TASK_STATE_CANCELED");
      const isWritten = told(works, "written");
      works.send("go on");
      await isWritten;
      return id;
    };

    it("holds here", async () => {
      const id = await canceledElsewhere("ours");

      expect(await shownAt(cancels.ours, id)).toEqual(canceled);
    });

    it("is overwritten there", async () => {
      const id = await canceledElsewhere("theirs");

      expect(await shownAt(cancels.theirs, id)).toEqual(echoed("held"));
    });
  },
);

/** Resolves when the process says so; what it says of another task before that is passed over. */
async function told(process: ChildProcess, what: string): Promise<void> {
  for await (const [message] of on(process, "message")) if (message === what) return;
}

async function cancel(url: string, id: string): Promise<WireTask> {
  return (await call(url, "CancelTask", { id })) as WireTask;
}

/** Something that waits until it is released. */
interface Held {
  /** Resolves when it waits. */
  begun: Promise<void>;
  release: () => void;
  /** Waits. */
  here: () => Promise<void>;
}

function hold(): Held {
  let begin = (): void => undefined;
  let release = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const here = (): Promise<void> => {
    begin();
    return released;
  };
  return { begun, release, here };
}

/** Echoes when it is released, whether it has been told to stop or not. */
function holding(held: Held): Graph {
  return new StateGraph(Annotation.Root({ value: Annotation<string> }))
    .addNode("answer", async ({ value }) => {
      await held.here();
      return { value: `echo: ${value}` };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END);
}

function withAnswer(task: Task, value: string): Task {
  const [artifact] = task.artifacts;
  if (!artifact) throw new Error("The task has no artifact.");
  return { ...task, artifacts: [{ ...artifact, parts: [dataPart({ value })] }] };
}

// Two callers of one task: what one does between two steps of the other's request.

import {
  StreamResponse,
  Task,
  TaskState,
  type Message,
  type SendMessageRequest,
} from "@a2a-js/sdk";
import { ServerCallContext, type A2ARequestHandler } from "@a2a-js/sdk/server";
import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { createA2AHandler, type A2AHost } from "skein-results/a2a";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { a2aHost, cardOf, type HostedAgent } from "../a2a/mount.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import { Gate } from "../engine/testing/store-wrappers.js";
import type { Host } from "../host.js";

import { userMessage } from "./client.js";
import { refusalOf } from "./testing/json-rpc.js";

const State = Annotation.Root({ value: Annotation<string>, answer: Annotation<unknown> });

/** What the graph does with an answer takes until this opens, or until it is stopped. */
let work: Gate;

const askAndWork = new StateGraph(State)
  .addNode("question", ({ value }) => ({ answer: interrupt<string, unknown>(`${value}?`) }))
  .addNode("work", async (_state, { signal }) => {
    const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
    await Promise.race([work.pass(), stopped]);
    return {};
  })
  .addEdge(START, "question")
  .addEdge("question", "work")
  .addEdge("work", END);

const context = new ServerCallContext();
const requestOf = (message: Message): SendMessageRequest => ({
  tenant: "",
  message,
  configuration: undefined,
  metadata: undefined,
});
const stateOf = (task: Message | Task): TaskState | undefined =>
  "status" in task ? task.status?.state : undefined;

describe.each(hostKinds)("meanwhile, on $name,", (kind) => {
  let place: HostPlace;
  let host: Host;
  /** Who is not held up. */
  let other: A2ARequestHandler;
  beforeEach(async () => {
    work = new Gate();
    place = await kind.prepare();
    host = await place.open({ graphs: { askAndWork } });
    other = handlerOver(() => ({}));
  });
  afterEach(async () => {
    work.open();
    await host.close();
    await place.remove();
  });

  function handlerOver(replace: (base: HostedAgent) => Partial<A2AHost>): A2ARequestHandler {
    const base = a2aHost(host, { assistantId: "askAndWork" });
    return createA2AHandler({
      card: cardOf("askAndWork", ""),
      hostFor: () => ({ ...base, ...replace(base) }),
      toInput: () => ({ value: "Ship it" }),
    });
  }

  /** Somebody whose first look at a task is followed by what is done meanwhile. */
  function heldUp(meanwhile: () => Promise<unknown>): A2ARequestHandler {
    let looks = 0;
    return handlerOver((base) => ({
      taskPage: async (query) => {
        const page = await base.taskPage?.(query);
        if ((looks += 1) === 1) await meanwhile();
        return page ?? { tasks: [], total: null };
      },
    }));
  }

  async function asked(): Promise<Task> {
    const task = await other.sendMessage(requestOf(userMessage("Ship it")), context);
    expect(stateOf(task)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    return task as Task;
  }

  /** Answers a task, which works on it from then on. */
  async function answer(taskId: string): Promise<void> {
    const configuration = {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    };
    const request = { ...requestOf(userMessage("yes", { taskId })), configuration };
    expect(await other.sendMessage(request, context)).toMatchObject({ id: taskId });
    await work.reached;
  }

  it("a task is answered by somebody else: who waits for it waits on", async () => {
    let taskId = "";
    const waiting = handlerOver((base) => ({
      startOnNewThread: async (request) => {
        const run = await base.startOnNewThread(request);
        taskId = run.run_id;
        return run;
      },
      wait: async (runId) => {
        const ended = await base.wait(runId);
        if (runId === taskId) await answer(taskId);
        return ended;
      },
    }));

    const sent = waiting.sendMessage(requestOf(userMessage("Ship it")), context);
    await work.reached;
    work.open();

    expect(stateOf(await sent)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it("a task is answered before it is given up: what it does then is canceled", async () => {
    const { id } = await asked();

    const canceled = await heldUp(() => answer(id)).cancelTask(
      { tenant: "", id, metadata: undefined },
      context,
    );

    expect(stateOf(canceled)).toBe(TaskState.TASK_STATE_CANCELED);
    expect(await other.getTask({ tenant: "", id }, context)).toEqual(canceled);
  });

  it("a task is erased before it is answered: there is none", async () => {
    for (const method of ["sendMessage", "sendMessageStream"] as const) {
      const { id } = await asked();
      const answering = heldUp(() => host.services().runs.delete(id));
      const request = requestOf(userMessage("yes", { taskId: id }));

      const refusal =
        method === "sendMessage"
          ? refusalOf(answering.sendMessage(request, context))
          : refusalOf(answering.sendMessageStream(request, context).next());

      expect(await refusal).toMatchObject({ code: -32001 });
    }
  });

  it.each<[string, (id: string) => Promise<unknown>, string[]]>([
    ["answered", answer, ["TASK_STATE_WORKING", "artifact", "TASK_STATE_COMPLETED"]],
    [
      "given up",
      (id) => other.cancelTask({ tenant: "", id, metadata: undefined }, context),
      ["refused -32004"],
    ],
    ["erased", (id) => host.services().runs.delete(id), ["refused -32001"]],
  ])(
    "a task is %s while somebody subscribes: they hear all that follows, and nobody listens for nothing",
    async (_name, meanwhile, heard) => {
      const { id } = await asked();
      const listening = new Set<object>();
      let looks = 0;
      const subscribing = handlerOver((base) => ({
        taskPage: async (query) => {
          const page = await base.taskPage?.(query);
          if ((looks += 1) === 1) await meanwhile(id);
          return page ?? { tasks: [], total: null };
        },
        changes: (runId) => trackedChanges(base, runId, listening),
      }));

      const told: string[] = [];
      try {
        for await (const event of subscribing.resubscribe({ tenant: "", id }, context)) {
          told.push(wordOf(event));
          work.open();
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        told.push(`refused ${(await refusalOf(Promise.reject(error))).code}`);
      }

      expect(told).toEqual(heard);
      expect(listening.size).toBe(0);
    },
  );
});

/** The changes of a run, among `listening` until somebody says that they listen no more, or there are none. */
function trackedChanges(
  host: A2AHost,
  runId: string,
  listening: Set<object>,
): AsyncIterable<unknown> {
  const changes = host.changes?.(runId)[Symbol.asyncIterator]();
  if (!changes) throw new Error("The host does not tell of changes.");
  listening.add(changes);
  const iterator: AsyncIterator<unknown> = {
    next: async () => {
      const next = await changes.next();
      if (next.done) listening.delete(changes);
      return next;
    },
    return: async () => {
      listening.delete(changes);
      return (await changes.return?.()) ?? { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** What an event says, in a word. */
function wordOf({ payload }: StreamResponse): string {
  switch (payload?.$case) {
    case "task":
    case "statusUpdate":
      return TaskState[payload.value.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED];
    default:
      return "artifact";
  }
}

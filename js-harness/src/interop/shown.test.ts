// What a task shows of what is kept: as much history as is asked for, no question that is over, and nothing of
// a result under a status that hides it.

import { Task } from "@a2a-js/sdk";
import { markRun } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import { RUN_STATUSES, type SkeinStoreSnapshot, type SnapshotStore } from "../stores/contract.js";

import { getTask, send, stateOf } from "./client.js";
import { serveAgent, type ServedAgent } from "./testing/agent.js";
import { call } from "./testing/json-rpc.js";

const CANARY = "canary-value";
const HIDING = RUN_STATUSES.filter((status) => status !== "success");

describe.each(hostKinds)("a task on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  let taskId: string;
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serveAgent(place, { assistantId: "ask-twice" });
    taskId = (await send(agent.client, "one")).id;
    for (const text of ["two", "three"]) await send(agent.client, text, { taskId });
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  const textsOf = (task: Task): unknown[] =>
    task.history.map(({ parts }) => parts[0]?.content?.value as unknown);

  it.each<[unknown, string[]]>([
    [0, []],
    [1, ["three"]],
    ["2", ["two", "three"]],
    [3, ["one", "two", "three"]],
    [99, ["one", "two", "three"]],
    [null, ["one", "two", "three"]],
    [undefined, ["one", "two", "three"]],
  ])("shows the last messages, %j of them, and keeps all", async (historyLength, shown) => {
    const read = await call(agent.url, "GetTask", { id: taskId, historyLength });
    const list = await call(agent.url, "ListTasks", { historyLength });
    const [listed] = (list.body.result as { tasks: unknown[] }).tasks;
    for (const task of [read.body.result, listed]) {
      expect(textsOf(Task.fromJSON(task))).toEqual(shown);
    }
    expect(read.text.includes('"history"')).toBe(shown.length > 0);
    expect(textsOf(await getTask(agent.client, taskId))).toEqual(["one", "two", "three"]);
  });

  it.each([-1, 1.5, "NaN", "x", {}, 2 ** 53])("refuses %j of them", async (historyLength) => {
    for (const [method, params] of [
      ["GetTask", { id: taskId }],
      ["ListTasks", {}],
    ] as const) {
      const { body } = await call(agent.url, method, { ...params, historyLength });
      expect(body.error?.code, method).toBe(-32602);
    }
  });

  it("asks nothing any more when it has ended", async () => {
    const { text } = await call(agent.url, "GetTask", { id: taskId });
    expect(stateOf(await getTask(agent.client, taskId))).toBe("COMPLETED");
    for (const question of ["one, first?", "one, second?"]) expect(text).not.toContain(question);
  });

  it.each(HIDING)("shows nothing of a result that was captured, under %s", async (status) => {
    const id = `hidden-${status}`;
    const at = "2026-01-01T00:00:00.000Z";
    const times = { created_at: at, updated_at: at };
    const run = { run_id: id, thread_id: id, assistant_id: "ask-twice", status, ...times };
    const snapshot = {
      threads: [[id, { thread_id: id }]],
      runs: [[id, { ...run, error: { message: "It failed." } }]],
      runKwargs: [[id, markRun({}, { root: id, turn: 0, message: null })]],
      results: [[id, { values: { secret: CANARY }, reply: CANARY }]],
    };
    await (agent.host.store as SnapshotStore).restore(snapshot as unknown as SkeinStoreSnapshot);

    const read = await call(agent.url, "GetTask", { id });
    const list = await call(agent.url, "ListTasks", { contextId: id, includeArtifacts: true });

    expect(read.body.result).toMatchObject({ id });
    expect(read.text).not.toContain('"artifacts"');
    for (const { text } of [read, list]) expect(text).not.toContain(CANARY);
    expect(list.text).toContain(id);
  });
});

// Lists of tasks, straight from the rows of their runs.

import { TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { markRun } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";
import type {
  Run,
  RunKwargs,
  RunStatus,
  SkeinStoreSnapshot,
  SnapshotStore,
} from "../stores/contract.js";

import {
  cancelTask,
  connect,
  getTask,
  listTasks,
  send,
  stateOf,
  type TransportName,
} from "./client.js";
import { serveAgent, type ServedAgent } from "./testing/agent.js";
import { call, refusalOf } from "./testing/json-rpc.js";

const TASKS = 10_000;
const THREADS = 100;
const START = Date.UTC(2026, 0, 1);
/** Many statuses are written within one millisecond. */
const timeOf = (place: number): string => new Date(START + Math.floor(place / 7)).toISOString();
const idOf = (place: number): string => `task-${String((place * 7_919) % TASKS).padStart(5, "0")}`;

const STATUSES: readonly RunStatus[] = [
  "success",
  "success",
  "error",
  "timeout",
  "cancelled",
  "interrupted",
];

/** Ten thousand ended tasks, and as many ordinary runs beside them. */
function manyTasks(): SkeinStoreSnapshot {
  const runs: [string, Run][] = [];
  const runKwargs: [string, RunKwargs][] = [];
  for (let place = 0; place < TASKS; place += 1) {
    const run_id = idOf(place);
    const run: Run = {
      run_id,
      thread_id: `thread-${place % THREADS}`,
      assistant_id: "echo",
      status: STATUSES[place % STATUSES.length] ?? "success",
      metadata: {},
      multitask_strategy: "enqueue",
      created_at: timeOf(place),
      updated_at: timeOf(place),
    };
    const ordinary = `ordinary-${run_id}`;
    runs.push([ordinary, { ...run, run_id: ordinary }], [run_id, run]);
    const message = JSON.stringify({
      messageId: run_id,
      role: "ROLE_USER",
      parts: [{ text: "x" }],
    });
    runKwargs.push([run_id, markRun({ input: {} }, { root: run_id, turn: 0, message })]);
  }
  const threads = Array.from({ length: THREADS }, (_, thread) => `thread-${thread}`).map(
    (thread_id): SkeinStoreSnapshot["threads"][number] => [
      thread_id,
      {
        thread_id,
        created_at: timeOf(0),
        updated_at: timeOf(0),
        state_updated_at: timeOf(0),
        metadata: {},
        status: "idle",
        values: {},
        interrupts: {},
      },
    ],
  );
  return { assistants: [], threads, runs, runKwargs };
}

describe.each(hostKinds)("ten thousand tasks on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  let url: string;
  let client: Client;
  /** The ids in the order of the list. */
  let ordered: string[];
  beforeAll(async () => {
    place = await kind.prepare();
    ({ host, url, client } = await serveAgent(place, { assistantId: "echo" }));
    const store = host.store as SnapshotStore;
    await store.restore(manyTasks());
    ordered = Array.from({ length: TASKS }, (_, index) => index)
      .sort((left, right) => {
        const byTime = timeOf(right).localeCompare(timeOf(left));
        return byTime === 0 ? (idOf(left) < idOf(right) ? 1 : -1) : byTime;
      })
      .map(idOf);
  }, 120_000);
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  it("are paged newest first, none left out and none twice, while others change", async () => {
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await listTasks(client, { pageSize: 100, pageToken, historyLength: 0 });
      seen.push(...page.tasks.map(({ id }) => id));
      expect(page.pageSize).toBe(100);
      pageToken = page.nextPageToken;
      if (seen.length === 300) {
        // A new task, and one that has been shown already and is touched: both are in front of the page.
        await send(client, "new");
        await host.store.runs.setStatus(String(seen[10]), "success");
      }
    } while (pageToken !== "");
    expect(seen).toEqual(ordered);
    await host.store.runs.setStatus(String(seen[10]), "error");
  }, 120_000);

  it("are fifty to a page by default, and counted whatever the page", async () => {
    const { text, body } = await call(url, "ListTasks", {});
    const page = body.result as { tasks: object[]; totalSize: number; pageSize: number };
    expect(page).toMatchObject({ pageSize: 50, totalSize: TASKS + 1 });
    expect(page.tasks).toHaveLength(50);
    expect(text).toContain('"nextPageToken"');
  });

  it.each<[string, TaskState, RunStatus[]]>([
    ["completed", TaskState.TASK_STATE_COMPLETED, ["success"]],
    ["failed", TaskState.TASK_STATE_FAILED, ["error", "timeout"]],
    ["canceled", TaskState.TASK_STATE_CANCELED, ["cancelled", "interrupted"]],
    ["working", TaskState.TASK_STATE_WORKING, []],
    ["rejected", TaskState.TASK_STATE_REJECTED, []],
  ])("are found by their state: %s", async (_name, status, statuses) => {
    const contextId = "thread-7";
    const { tasks, totalSize } = await listTasks(client, { status, contextId, pageSize: 100 });
    const expected = ordered.filter((id) => {
      const index = Array.from({ length: TASKS / THREADS }, (_, turn) => turn * THREADS + 7).find(
        (at) => idOf(at) === id,
      );
      return index !== undefined && statuses.includes(STATUSES[index % STATUSES.length] ?? "error");
    });
    expect(tasks.map(({ id }) => id)).toEqual(expected);
    expect(totalSize).toBe(expected.length);
    expect(tasks.every((task) => task.status?.state === status)).toBe(true);
  });

  it("are found by the time of their status, that very moment included", async () => {
    const statusTimestampAfter = timeOf(TASKS - 14);
    const { tasks } = await listTasks(client, { statusTimestampAfter, pageSize: 100 });
    const newest = tasks.map(({ id }) => id).filter((id) => id.startsWith("task-"));
    const moment = Date.parse(statusTimestampAfter);
    const expected = ordered.filter((id) => {
      const index = Array.from({ length: 28 }, (_, back) => TASKS - 1 - back).find(
        (at) => idOf(at) === id,
      );
      return index !== undefined && Date.parse(timeOf(index)) >= moment;
    });
    expect(newest).toEqual(expect.arrayContaining(expected));
    expect(tasks.every(({ status }) => Date.parse(status?.timestamp ?? "") >= moment)).toBe(true);
  });
});

describe.each(hostKinds)("a list on $name", (kind) => {
  describe.each(["JSONRPC", "HTTP+JSON"] as const)("over %s", (transport: TransportName) => {
    let place: HostPlace;
    let agent: ServedAgent;
    let client: Client;
    beforeAll(async () => {
      place = await kind.prepare();
      agent = await serveAgent(place, { assistantId: "ask" });
      client = await connect(agent.url, transport);
    });
    afterAll(async () => {
      await agent.host.close();
      await place.remove();
    });

    it("shows each task as it is read, with its artifacts only where they are asked for", async () => {
      const done = await send(client, "one");
      await send(client, "yes", { taskId: done.id });
      const asking = await send(client, "two");
      const canceled = await send(client, "three");
      await cancelTask(client, canceled.id);

      const { tasks, totalSize, nextPageToken } = await listTasks(client, {
        includeArtifacts: true,
      });

      expect([totalSize, nextPageToken]).toEqual([3, ""]);
      expect(tasks.map(({ id }) => id)).toEqual([canceled.id, asking.id, done.id]);
      for (const task of tasks) expect(task).toEqual(await getTask(client, task.id));
      expect(tasks.map(stateOf)).toEqual(["CANCELED", "INPUT_REQUIRED", "COMPLETED"]);
      const { tasks: bare } = await listTasks(client);
      expect(bare.map(({ artifacts }) => artifacts)).toEqual([[], [], []]);
      expect(bare.map(({ status }) => status)).toEqual(tasks.map(({ status }) => status));
      const { tasks: last } = await listTasks(client, { historyLength: 1 });
      expect(last.map(({ history }) => history.length)).toEqual([1, 1, 1]);
      expect((await listTasks(client, { historyLength: 0 })).tasks[2]?.history).toEqual([]);
    });

    it("leaves the member out where there are no artifacts to show", async () => {
      const { text } = await call(agent.url, "ListTasks", {});
      expect(text).not.toContain('"artifacts"');
    });

    it("finds the tasks that wait, until they do not", async () => {
      const { id, contextId } = await send(client, "Ship it");
      const waiting = () =>
        listTasks(client, { status: TaskState.TASK_STATE_INPUT_REQUIRED, contextId });
      expect((await waiting()).tasks.map((task) => task.id)).toEqual([id]);
      await send(client, "yes", { taskId: id });
      expect(await waiting()).toMatchObject({ tasks: [], totalSize: 0 });
    });

    it("begins with the very moment that it is asked for, and not a part of a millisecond before", async () => {
      const { id, contextId, status } = await send(client, "Ship it");
      const at = String(status?.timestamp);
      const later = at.replace(/Z$/, "001Z");
      const elsewhere = new Date(Date.parse(at) + 3_600_000).toISOString().replace("Z", "+01:00");
      const from = async (statusTimestampAfter: string) =>
        (await listTasks(client, { contextId, statusTimestampAfter })).tasks.map((task) => task.id);

      for (const time of [at, at.replace(/Z$/, "000Z"), elsewhere, "0001-01-01T00:00:00Z"]) {
        expect(await from(time), time).toEqual([id]);
      }
      for (const time of [later, "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.9999999Z"]) {
        expect(await from(time), time).toEqual([]);
      }
    });

    it("is empty for a context that nobody knows", async () => {
      expect(await listTasks(client, { contextId: "unknown" })).toEqual({
        tasks: [],
        totalSize: 0,
        pageSize: 50,
        nextPageToken: "",
      });
    });

    it.each<[string, Parameters<typeof listTasks>[1]]>([
      ["of no task", { pageSize: 0 }],
      ["of too many tasks", { pageSize: 101 }],
      ["of a token that no page gave", { pageToken: "junk" }],
      ["with a history of less than nothing", { historyLength: -1 }],
      ["from a time that is none", { statusTimestampAfter: "yesterday" }],
      ["from a time of no known place", { statusTimestampAfter: "2026-01-01T00:00:00" }],
      ["from a day", { statusTimestampAfter: "2026-01-01" }],
      ["from the year 0", { statusTimestampAfter: "0000-12-31T23:59:59Z" }],
      ["from before the year 1", { statusTimestampAfter: "0001-01-01T00:00:00+12:00" }],
      ["from the year 10000", { statusTimestampAfter: "9999-12-31T23:59:59-12:00" }],
    ])("is refused %s", async (_name, query) => {
      expect((await refusalOf(listTasks(client, query))).code).toBe(-32602);
    });
  });

  it.each(["contextId", "pageToken", "statusTimestampAfter", "pageSize", "status"])(
    "is refused over HTTP+JSON where %s is named twice",
    async (name) => {
      const place = await kind.prepare();
      const { host, url } = await serveAgent(place, { assistantId: "echo" });
      const twice = `${name}=2026-01-01T00:00:00.000Z&${name}=2026-01-02T00:00:00.000Z`;

      const answer = await fetch(`${url}/a2a/rest/tasks?${twice}`, {
        headers: { "a2a-version": "1.0" },
      });

      expect(answer.status).toBe(400);
      await host.close();
      await place.remove();
    },
  );
});

// Rows that somebody else has made: what a file brings, or foreign code has recorded, is anything that JSON
// can be. Either the import is refused and changes nothing, or the task can be read, and the list finds it
// under the very state that it shows; and the three stores answer the same, to the byte.

import { Role, Task, TaskState } from "@a2a-js/sdk";
import fc from "fast-check";
import { isSkeinResultsError, RUN_MARK_KEY, type RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";
import { SkeinHttpError, type SkeinStoreSnapshot, type SnapshotStore } from "../stores/contract.js";
import { seeded } from "../wire-json/seed.js";

import { serveAgent } from "./testing/agent.js";
import { call } from "./testing/json-rpc.js";
import { anyOddRun, MESSAGE, oddRuns, type OddRun } from "./testing/odd-runs.js";

const AT = "2026-01-01T00:00:00.000Z";

/** The first is the unspecified one, with which a list is not filtered. */
const STATES = Object.keys(TaskState)
  .map(Number)
  .filter((state) => state >= 0);

let serial = 0;
let places: HostPlace[];
let agents: { host: Host; url: string }[];
beforeAll(async () => {
  places = await Promise.all(hostKinds.map((kind) => kind.prepare()));
  agents = await Promise.all(places.map((place) => serveAgent(place, { assistantId: "ask" })));
});
afterAll(async () => {
  await Promise.all(agents.map(({ host }) => host.close()));
  await Promise.all(places.map((place) => place.remove()));
});

function snapshotOf(id: string, thread_id: string, odd: OddRun): SkeinStoreSnapshot {
  const { status, result, error, message = MESSAGE, mark, at = AT } = odd;
  const times = { created_at: at, updated_at: at };
  const run = { run_id: id, thread_id, assistant_id: "ask", status, metadata: {}, ...times };
  const kwargs = { [RUN_MARK_KEY]: { v: 1, root: id, turn: 0, message, ...mark } };
  const withResult = result !== undefined && odd.recorded !== true;
  return {
    threads: [[thread_id, { thread_id, created_at: AT }]],
    runs: [[id, error === undefined ? run : { ...run, error }]],
    runKwargs: [[id, kwargs]],
    results: withResult ? [[id, result]] : [],
  } as unknown as SkeinStoreSnapshot;
}

/** What is read of a run, as texts. */
interface Answers {
  task: string;
  listed: string;
  /** The list by each state. */
  found: string[];
  /** What a message to it is answered with: no saver knows of its pause. */
  answered: string;
}

async function answersOf(
  { host, url }: (typeof agents)[number],
  id: string,
  odd: OddRun,
): Promise<Answers | { refused: string }> {
  const thread = `thread-${id}`;
  try {
    await (host.store as SnapshotStore).restore(snapshotOf(id, thread, odd));
    if (odd.recorded) await host.store.runs.recordResult?.(id, odd.result as RunResult);
  } catch (error) {
    if (!isSkeinResultsError(error) && !(error instanceof SkeinHttpError)) throw error;
    if (!odd.recorded) expect(await host.store.threads.get(thread)).toBeNull();
    return { refused: error.message };
  }
  const list = (query: object) =>
    call(url, "ListTasks", { contextId: thread, includeArtifacts: true, ...query });
  const found: string[] = [];
  for (const status of STATES) found.push((await list({ status })).text);
  const task = (await call(url, "GetTask", { id })).text;
  const listed = (await list({})).text;
  const message = { ...(JSON.parse(MESSAGE) as object), taskId: id };
  return { task, listed, found, answered: (await call(url, "SendMessage", { message })).text };
}

function requireTask(answers: Answers): void {
  const { result } = JSON.parse(answers.task) as { result?: object };
  const tasksOf = (text: string) =>
    (JSON.parse(text) as { result: { tasks: object[] } }).result.tasks;
  if (!result) {
    // No task, also for the list: its mark was none.
    expect(JSON.parse(answers.task)).toMatchObject({ error: { code: -32001 } });
    expect([answers.listed, ...answers.found].flatMap(tasksOf)).toEqual([]);
    return;
  }
  expect(JSON.parse(answers.answered)).toMatchObject({ error: { code: -32004 } });
  const task = Task.fromJSON(result);
  expect(Task.toJSON(task)).toEqual(result);
  requireValid(task);
  expect(tasksOf(answers.listed)).toEqual([{ artifacts: [], ...result }]);
  const under = answers.found.map((text, state) => (tasksOf(text).length > 0 ? state : null));
  // The unspecified state is that of a list without a filter.
  expect(under.filter((state) => state !== null)).toEqual([0, task.status?.state]);
}

function requireValid({ status, history, artifacts }: Task): void {
  expect(new Date(status?.timestamp ?? "").toISOString()).toBe(status?.timestamp);
  const messages = [...history, ...(status?.message ? [status.message] : [])];
  for (const { messageId, role } of messages) {
    expect(messageId).not.toBe("");
    expect([Role.ROLE_USER, Role.ROLE_AGENT]).toContain(role);
  }
  for (const { parts } of [...messages, ...artifacts]) {
    expect(parts.length).toBeGreaterThan(0);
    for (const part of parts) {
      expect(part.content?.value).toBeDefined();
      expect(part.content?.value).not.toBeNull();
    }
  }
}

async function requireSameEverywhere(odd: OddRun): Promise<void> {
  serial += 1;
  const id = `odd-${serial}`;
  const answers = await Promise.all(agents.map((agent) => answersOf(agent, id, odd)));
  const [first, ...others] = answers;
  for (const other of others) expect(other).toEqual(first);
  if (first && "task" in first) requireTask(first);
}

describe("a run of which somebody has made something odd", () => {
  it.each(oddRuns)("%s", (_, odd) => requireSameEverywhere(odd));

  it("anything that JSON can be", async () => {
    const everywhere = fc.asyncProperty(anyOddRun, requireSameEverywhere);
    await fc.assert(everywhere, seeded("odd runs", 60) as fc.Parameters<[OddRun]>);
  }, 120_000);
});

// What a process is doing when it dies. Each prepares a thread of its own, so that many of them may
// leave what they leave in one database.

import { randomUUID } from "node:crypto";

import type { RunMark } from "skein-results";

import type { Host } from "../host.js";
import type { SeenRows } from "../invariants/rows.js";
import type { SkeinStoreSnapshot, SnapshotStore } from "../stores/contract.js";

/** What an operation works on. */
export interface Prepared {
  threadId: string;
  /** The runs that are there, in order. */
  runIds: string[];
}

/** What the process was told before it died: it must be so afterwards. */
export type Acknowledged = { run: string; status: string | null } | { thread: string };

export interface Operation {
  prepare: (host: Host) => Promise<Prepared>;
  /** @param acknowledge is told what has been promised to whoever asked */
  act: (host: Host, prepared: Prepared, acknowledge: (fact: Acknowledged) => void) => Promise<void>;
  /** What else must be true of the rows when all runs have ended. */
  broken?: (rows: SeenRows, prepared: Prepared) => string[];
  /** The operation asked for once more, by the next process. */
  again?: (host: Host, prepared: Prepared) => Promise<void>;
}

const firstTurn = (root: string): RunMark => ({ root, turn: 0, message: null });

/** A run of a task, from its admission to its end. */
const run: Operation = {
  prepare: newThread,
  async act(host, { threadId }, acknowledge) {
    const { runs } = host.services();
    const request = { threadId, assistantId: "echo", input: { value: "in" } };
    const submitted = await runs.submit(
      { ...request, webhook: "http://127.0.0.1:9/" },
      { mark: firstTurn },
    );
    acknowledge({ run: submitted.run.run_id, status: null });
    const ended = await submitted.outcome;
    acknowledge({ run: submitted.run.run_id, status: ended?.status ?? null });
  },
};

/** A run whose result cannot be captured. */
const failedCapture: Operation = {
  prepare: newThread,
  async act(host, { threadId }, acknowledge) {
    const request = { threadId, assistantId: "uncapturable", input: { value: "in" } };
    const submitted = await host.services().runs.submit(request, { mark: firstTurn });
    const ended = await submitted.outcome;
    acknowledge({ run: submitted.run.run_id, status: ended?.status ?? null });
  },
};

/** A run that pauses, its answer, and the run that goes on. */
const answer: Operation = {
  prepare: (host) => preparedWith(host, ["ask"]),
  async act(host, { runIds: [runId = ""] }, acknowledge) {
    const { runs } = host.services();
    const mark = { root: runId, turn: 1, message: null };
    const continued = await runs.resume({ runId, answer: { plain: "yes" } }, { mark });
    acknowledge({ run: continued.run_id, status: null });
    const ended = await runs.wait(continued.run_id);
    acknowledge({ run: continued.run_id, status: ended?.status ?? null });
  },
};

/** A turn that takes the place of one that executes. */
const displacement = (multitaskStrategy: "interrupt" | "rollback"): Operation => ({
  prepare: startedSlowRun,
  async act(host, { threadId }, acknowledge) {
    const { runs } = host.services();
    const request = { threadId, assistantId: "echo", input: { value: "next" }, multitaskStrategy };
    const submitted = await runs.submit(request, { mark: firstTurn });
    acknowledge({ run: submitted.run.run_id, status: null });
    await submitted.outcome;
  },
});

/** The cancellation of a run that executes. */
const cancel: Operation = {
  prepare: startedSlowRun,
  async act(host, { runIds: [runId = ""] }, acknowledge) {
    const cancelled = await host.services().runs.cancel(runId, { wait: true });
    acknowledge({ run: runId, status: cancelled.status });
  },
};

/** The cancellation of a paused task. */
const cancelPaused: Operation = {
  prepare: (host) => preparedWith(host, ["ask"]),
  async act(host, { runIds: [runId = ""] }, acknowledge) {
    const cancelled = await host.services().runs.cancelPaused(runId);
    acknowledge({ run: runId, status: cancelled.status });
  },
};

/** A copy of a thread with its results and checkpoints. */
const copy: Operation = {
  prepare: (host) => preparedWith(host, ["echo", "echo", "ask"]),
  async act(host, { threadId }, acknowledge) {
    const { thread_id } = await host.services().threads.copy(threadId);
    acknowledge({ thread: thread_id });
  },
  broken: ({ runs, saved, threads }, { threadId, runIds }) => {
    const resultsOf = (thread: string) =>
      runs
        .filter((row) => row.thread === thread)
        .map(({ status, result }) => [status, result?.values]);
    const source = JSON.stringify(resultsOf(threadId));
    return [...threads]
      .filter((thread) => resultsOf(thread).length === runIds.length && thread !== threadId)
      .filter((thread) => JSON.stringify(resultsOf(thread)) === source && !saved.has(thread))
      .map((thread) => `Thread ${thread} is a copy without checkpoints.`);
  },
};

/** An import of a thread with two results. */
const importing: Operation = {
  prepare: () => Promise.resolve({ threadId: randomUUID(), runIds: [randomUUID(), randomUUID()] }),
  async act(host, prepared, acknowledge) {
    await (host.store as SnapshotStore).restore(snapshotOf(prepared));
    acknowledge({ thread: prepared.threadId });
  },
  broken: ({ runs, threads }, { threadId }) => {
    const imported = runs.filter((row) => row.thread === threadId);
    const whole = imported.length === 2 && imported.every(({ result }) => result !== null);
    const none = imported.length === 0 && !threads.has(threadId);
    return whole || none ? [] : [`The import of thread ${threadId} is half done.`];
  },
  again: (host, prepared) => (host.store as SnapshotStore).restore(snapshotOf(prepared)),
};

/** The deletion of a run with a result. */
const eraseRun: Operation = {
  prepare: (host) => preparedWith(host, ["echo", "echo"]),
  act: (host, { runIds: [runId = ""] }) => host.services().runs.delete(runId),
  again: (host, { runIds: [runId = ""] }) => ifThere(host.services().runs.delete(runId)),
};

/** The deletion of a thread whose last run executes. */
const eraseThread: Operation = {
  async prepare(host) {
    const prepared = await preparedWith(host, ["echo"]);
    const { runIds } = await startedSlowRun(host, prepared.threadId);
    return { ...prepared, runIds: [...prepared.runIds, ...runIds] };
  },
  act: (host, { threadId }) => host.services().threads.delete(threadId),
  again: (host, { threadId }) => ifThere(host.services().threads.delete(threadId)),
};

/** A prune that keeps the latest checkpoint. */
const prune: Operation = {
  prepare: (host) => preparedWith(host, ["echo", "echo"]),
  async act(host, { threadId }) {
    await host.services().threads.prune({ thread_ids: [threadId], strategy: "keep_latest" });
  },
};

/** Everything but the migrations, which need a database of their own. */
export const OPERATIONS = {
  run,
  "run in two steps": run,
  "run whose capture fails": failedCapture,
  answer,
  "displacement by interrupt": displacement("interrupt"),
  "displacement by rollback": displacement("rollback"),
  cancel,
  "cancel of a paused task": cancelPaused,
  copy,
  import: importing,
  "erasure of a run": eraseRun,
  "erasure of a thread": eraseThread,
  prune,
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

/** The operations on a store that cannot end a run in one write. */
export const isInTwoSteps = (name: OperationName): boolean => name === "run in two steps";

async function newThread(host: Host): Promise<Prepared> {
  const { thread_id } = await host.services().threads.create();
  return { threadId: thread_id, runIds: [] };
}

/** A thread on which these graphs have run, one after the other. */
async function preparedWith(host: Host, assistants: readonly string[]): Promise<Prepared> {
  const { threadId } = await newThread(host);
  const runIds: string[] = [];
  for (const assistantId of assistants) {
    const request = { threadId, assistantId, input: { value: `in ${runIds.length}` } };
    const { run: row, outcome } = await host.services().runs.submit(request, { mark: firstTurn });
    await outcome;
    runIds.push(row.run_id);
  }
  return { threadId, runIds };
}

/** A thread on which a run executes that takes its time. */
async function startedSlowRun(host: Host, on?: string): Promise<Prepared> {
  const threadId = on ?? (await newThread(host)).threadId;
  // Long enough to be met by what is done to it, short enough to be run again by the next process.
  const request = { threadId, assistantId: "slow-echo", input: { value: "s", milliseconds: 150 } };
  const { run: row } = await host.services().runs.submit(request, { mark: firstTurn });
  for (;;) {
    const { status } = await host.services().runs.get(row.run_id);
    if (status !== "pending") return { threadId, runIds: [row.run_id] };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function snapshotOf({ threadId, runIds }: Prepared): SkeinStoreSnapshot {
  const at = new Date(0).toISOString();
  const thread = {
    thread_id: threadId,
    status: "idle" as const,
    metadata: {},
    values: {},
    interrupts: {},
    created_at: at,
    updated_at: at,
    state_updated_at: at,
  };
  const runOf = (run_id: string) => ({
    run_id,
    thread_id: threadId,
    assistant_id: "echo",
    status: "success" as const,
    metadata: {},
    multitask_strategy: "reject" as const,
    created_at: at,
    updated_at: at,
  });
  return {
    version: 1,
    assistants: [],
    threads: [[threadId, thread]],
    runs: runIds.map((runId) => [runId, runOf(runId)]),
    runKwargs: [],
    results: runIds.map((runId) => [runId, { values: { imported: runId } }]),
  };
}

/** The deletion may have been done before the process died. */
async function ifThere(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if ((error as { status?: number }).status !== 404) throw error;
  }
}

// What a host does to threads that another host works on at the same time. Any of it may come too late,
// and is refused then; nothing else may go wrong.

import { readMark, type RunMark } from "skein-results";

import type { Host } from "../host.js";
import type { Run } from "../stores/contract.js";

/** Which threads the hosts share, and how a host chooses. */
export interface Playground {
  host: Host;
  /** Threads by their places; a copy, or a new thread, takes the place of another one. */
  threads: string[];
  /** A number from 0 up to, but without, the limit. */
  below: (limit: number) => number;
}

export type Move = (playground: Playground) => Promise<void>;

const firstTurn = (root: string): RunMark => ({ root, turn: 0, message: null });

const admit =
  (
    assistantId: string,
    multitaskStrategy: "reject" | "enqueue" | "interrupt" | "rollback",
    marked = true,
  ): Move =>
  async (playground) => {
    const { host, below } = playground;
    const input = { value: "in", milliseconds: below(60) };
    const request = { threadId: someThread(playground), assistantId, input, multitaskStrategy };
    await host.services().runs.start(request, marked ? { mark: firstTurn } : {});
  };

/** By name; the same move may stand under several names, to be made more often. */
export const MOVES: Readonly<Record<string, Move>> = {
  run: admit("echo", "enqueue"),
  "slow run": admit("slow-echo", "enqueue"),
  "unmarked run": admit("echo", "enqueue", false),
  "run that pauses": admit("ask", "enqueue"),
  "run that pauses, on an idle thread": admit("ask", "reject"),
  "displacement by interrupt": admit("slow-echo", "interrupt"),
  "displacement by rollback": admit("echo", "rollback"),
  cancel: onRun((host, run) => host.services().runs.cancel(run.run_id)),
  "cancel of the latest": onRun((host, run) => host.services().runs.cancel(run.run_id), "latest"),
  "cancel of a pause": onRun(
    (host, run) => host.services().runs.cancelPaused(run.run_id),
    "latest",
  ),
  answer: onRun(answer, "latest"),
  "another answer": onRun(answer, "latest"),
  deletion: onRun((host, run) => host.services().runs.delete(run.run_id)),
  "repeated capture": onRun(async (host, run) => {
    if (run.status === "success") await host.store.runs.recordResult?.(run.run_id, LATE);
  }),
  copy: async (playground) => {
    const { host, threads, below } = playground;
    const copy = await host.services().threads.copy(someThread(playground));
    threads[below(threads.length)] = copy.thread_id;
  },
  prune: async (playground) => {
    const thread_ids = [someThread(playground)];
    await playground.host.services().threads.prune({ thread_ids, strategy: "keep_latest" });
  },
  "deletion of a thread": async (playground) => {
    const { host, threads, below } = playground;
    const place = below(threads.length);
    const doomed = threads[place] ?? "";
    threads[place] = (await host.services().threads.create()).thread_id;
    await host.services().threads.delete(doomed);
  },
};

const LATE = { values: { late: true } };

function someThread({ threads, below }: Playground): string {
  return threads[below(threads.length)] ?? "";
}

function onRun(
  work: (host: Host, run: Run) => Promise<unknown>,
  which: "any" | "latest" = "any",
): Move {
  return async (playground) => {
    const { host, below } = playground;
    const runs = await host.store.runs.listByThread(someThread(playground));
    const run = which === "latest" ? runs.at(-1) : runs[below(runs.length)];
    if (run) await work(host, run);
  };
}

async function answer(host: Host, { run_id: runId }: Run): Promise<void> {
  const mark = readMark(await host.store.runs.getKwargs(runId));
  if (!mark) return;
  const next = { root: mark.root, turn: mark.turn + 1, message: null };
  await host.services().runs.resume({ runId, answer: { plain: "yes" } }, { mark: next });
}

/** A move that came too late, or to a thread that is busy. */
export function isRefusal(error: unknown): boolean {
  const { status, code } = error as { status?: number; code?: string };
  return [404, 409, 422].includes(status ?? 0) || code === "resume_refused";
}

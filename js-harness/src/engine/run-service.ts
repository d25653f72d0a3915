// Runs as the server offers them, to its HTTP routes and to whatever else is mounted in it. Every run
// is admitted, queued and executed in the same way, whoever asked for it.

import { SkeinHttpError, type Run, type RunListQuery } from "../stores/contract.js";

import { admitRun, type SubmittedRun } from "./admission.js";
import { cancelPausedRun } from "./cancel-paused-run.js";
import { cancelRun, type CancelOptions } from "./cancel-run.js";
import type { Engine } from "./engine.js";
import type { RunFrame } from "./event-bus.js";
import { resumeRun, type ResumeRequest } from "./resume-run.js";
import type { RunQueue } from "./run-queue.js";
import type { InternalRunOptions, RunRequest } from "./run-request.js";
import { stopRun } from "./stop-run.js";

export interface RunService {
  /**
   * Admits a run and queues it; answers at once.
   *
   * @throws 404 for an unknown thread or assistant, 422 for a busy thread under `reject`
   */
  start(request: RunRequest, internal?: InternalRunOptions): Promise<Run>;
  /** As `start`, for a caller that wants to know how the execution came out. */
  submit(request: RunRequest, internal?: InternalRunOptions): Promise<SubmittedRun>;
  /** Waits until the run has ended, in whichever process; null when it is gone. */
  wait(runId: string): Promise<Run | null>;
  /** As `wait`, for a caller that has been given the run, and reads what it needs of it afterwards. */
  untilEnded(runId: string): Promise<void>;
  /** @throws 404 */
  get(runId: string): Promise<Run>;
  list(threadId: string, query?: RunListQuery): Promise<Run[]>;
  /** @throws 404 */
  cancel(runId: string, options?: CancelOptions): Promise<Run>;
  /**
   * Admits the run that resumes a paused one, and queues it; nothing is created where it is refused.
   *
   * @throws 404; `resume_refused`
   */
  resume(request: ResumeRequest, internal?: InternalRunOptions): Promise<Run>;
  /** Cancels a paused task's last run; one that is not paused any more stays as it is. @throws 404 */
  cancelPaused(runId: string): Promise<Run>;
  /** Tells when the row of the run may have changed; see {@link RunEndings.changes}. */
  changes(runId: string, signal?: AbortSignal): AsyncIterable<undefined>;
  /** Deletes the run and its result; stops it first if it executes. @throws 404 */
  delete(runId: string): Promise<void>;
  /** What the run streams after the frame `afterSeq`, until it ends or the signal aborts. */
  frames(runId: string, afterSeq?: number, signal?: AbortSignal): AsyncIterable<RunFrame>;
}

export function createRunService(engine: Engine, queue: RunQueue): RunService {
  const { runs } = engine.store;

  const get = async (runId: string): Promise<Run> => {
    const run = await runs.get(runId);
    if (!run) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
    return run;
  };

  const submit = (request: RunRequest, internal: InternalRunOptions = {}): Promise<SubmittedRun> =>
    admitRun(engine, queue, request, internal);

  return {
    start: async (request, internal) => (await submit(request, internal)).run,
    submit,
    wait: (runId) => engine.endings.wait(runs, runId),
    untilEnded: (runId) => engine.endings.untilEnded(runs, runId),
    get,
    list: (threadId, query) => runs.listByThread(threadId, query),
    resume: (request, internal = {}) => resumeRun(engine, queue, request, internal),
    cancelPaused: (runId) => cancelPausedRun(engine, runId),
    changes: (runId, signal) => engine.endings.changes(runs, runId, signal),
    cancel: (runId, options = {}) => cancelRun(engine, queue, runId, options),
    async delete(runId) {
      await get(runId);
      stopRun(engine, queue, runId, "cancel");
      await runs.delete(runId);
      engine.endings.announce(runId);
    },
    async *frames(runId, afterSeq = 0, signal) {
      if (queue.has(runId)) {
        yield* engine.bus.subscribe(runId, afterSeq, signal);
        return;
      }
      // It has ended, or executes in another process and nobody here will say that it has ended.
      const ended = new AbortController();
      const stop = (): void => ended.abort();
      signal?.addEventListener("abort", stop, { once: true });
      engine.endings.wait(runs, runId, ended.signal).then(stop, stop);
      try {
        yield* engine.bus.subscribe(runId, afterSeq, ended.signal);
      } finally {
        stop();
        signal?.removeEventListener("abort", stop);
      }
    },
  };
}

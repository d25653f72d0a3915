// A request for a run, and the kwargs that are stored for it.

import { markRun, withoutMark, type RunMark } from "skein-results";

import type {
  Config,
  Metadata,
  MultitaskStrategy,
  RunKwargs,
  StreamMode,
} from "../stores/contract.js";

import { present } from "./present.js";

/** What a client may ask for. None of it can mark the run. */
export interface RunRequest {
  /** Null for a run that gets a thread of its own. */
  threadId: string | null;
  assistantId: string;
  /** Whether a thread that is named and does not exist is created. @defaultValue `"reject"` */
  ifNotExists?: "create" | "reject";
  /** What becomes of a thread that was made for the run. @defaultValue `"keep"` */
  onCompletion?: "delete" | "keep";
  /** The id of the new run; assigned when absent. For callers inside the server. */
  runId?: string;
  input?: unknown;
  command?: RunKwargs["command"];
  config?: Config;
  context?: unknown;
  metadata?: Metadata;
  /** What happens when the thread is busy. @defaultValue `"reject"` */
  multitaskStrategy?: MultitaskStrategy;
  streamMode?: StreamMode | StreamMode[];
  interruptBefore?: string[] | "*";
  interruptAfter?: string[] | "*";
  /** The checkpoint to branch from instead of the thread's tip. */
  checkpointId?: string;
  /** Where to announce the end of the run. */
  webhook?: string;
}

/** What only the server may ask for: an argument beside the request, which no body is read into. */
export interface InternalRunOptions {
  /** Marks the run as a turn of a task; a function is given the id of the run. */
  mark?: RunMark | ((runId: string) => RunMark);
}

/**
 * The kwargs of a new run: field by field from the request, so that nothing a client adds gets in, and
 * then the server's own.
 */
export function runKwargs(
  request: RunRequest,
  runId: string,
  internal: InternalRunOptions,
): RunKwargs {
  const ownsThread = request.threadId === null && request.onCompletion === "delete";
  const fromRequest: RunKwargs = withoutMark(
    present({
      input: request.input,
      command: request.command,
      config: request.config,
      context: request.context,
      stream_mode: request.streamMode,
      interrupt_before: request.interruptBefore,
      interrupt_after: request.interruptAfter,
      checkpoint_id: request.checkpointId,
      webhook: request.webhook,
      delete_thread_on_completion: ownsThread || undefined,
    }),
  );
  return markedKwargs(fromRequest, runId, internal);
}

/** The server's own kwargs of a run, with its mark if it is to have one. */
export function markedKwargs(
  kwargs: RunKwargs,
  runId: string,
  { mark }: InternalRunOptions,
): RunKwargs {
  if (mark === undefined) return kwargs;
  return markRun(kwargs, typeof mark === "function" ? mark(runId) : mark);
}

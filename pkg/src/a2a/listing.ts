import { TaskState, type ListTasksRequest, type ListTasksResponse } from "@a2a-js/sdk";

import { isSkeinResultsError } from "../wasm/errors.js";
import { millisecondFrom, type TaskPlace, type TaskQuery } from "../tasks/query.js";
import type { TaskView } from "../tasks/view.js";
import { ask, type Wasm } from "../wasm/instance.js";

import { malformed, unsupported } from "./errors.js";
import { historyLength } from "./history.js";
import type { A2AHost } from "./host.js";
import { requestedContextId } from "./messages.js";
import { taskOfRecord } from "./task-lookup.js";
import { protocolTask, stateOfProtocol } from "./tasks.js";

/** A list as it was asked for, checked. */
export interface TaskListing {
  size: number;
  after: TaskPlace | undefined;
  since: string | undefined;
  contextId: string | undefined;
  /** Null where no task is ever in that state. */
  state: TaskView["state"] | null | undefined;
  answers: boolean;
  history: number | undefined;
}

/**
 * Checks a request for a list (A2A 3.1.4).
 *
 * @throws -32602
 */
export function requestedListing(request: ListTasksRequest): TaskListing {
  return {
    size: checked((rules) => rules.pageSize(request.pageSize)),
    after: requestedPlace(request.pageToken),
    since: requestedTime(request.statusTimestampAfter),
    contextId: requestedContextId(request.contextId),
    state: requestedState(request.status),
    answers: request.includeArtifacts === true,
    history: historyLength(request.historyLength),
  };
}

/**
 * A page of the caller's tasks, straight from the store.
 *
 * @throws -32004 for a store that cannot list tasks
 */
export async function listTasks(host: A2AHost, listing: TaskListing): Promise<ListTasksResponse> {
  const { size, contextId, state } = listing;
  if (typeof host.taskPage !== "function") {
    throw unsupported("The store of this agent cannot list tasks.");
  }
  const none = { tasks: [], nextPageToken: "", pageSize: size, totalSize: 0 };
  if (state === null) return none;
  const thread = contextId === undefined ? undefined : await host.threads.get(contextId);
  if (thread === null) return none;
  // One more than the page shows whether there is another.
  const { tasks, total } = await host.taskPage(queryOf(listing, thread?.thread_id));
  const shown = tasks.slice(0, size);
  const last = tasks.length > size ? shown.at(-1) : undefined;
  return {
    tasks: shown.map((record) => protocolTask(taskOfRecord(record).view, listing.history)),
    nextPageToken: last ? ask((rules) => rules.pageToken(last.at, last.run)) : "",
    pageSize: size,
    totalSize: total ?? shown.length,
  };
}

function queryOf(listing: TaskListing, thread: string | undefined): TaskQuery {
  const { size, after, since, state, answers } = listing;
  return {
    limit: size + 1,
    answers,
    count: true,
    ...(after ? { after } : {}),
    ...(since === undefined ? {} : { since }),
    ...(thread === undefined ? {} : { thread }),
    ...(state ? { state } : {}),
  };
}

/** A query of HTTP+JSON may name anything twice, and is a list of texts then. */
function requestedPlace(token: unknown): TaskPlace | undefined {
  if (typeof token !== "string") throw malformed("The page token is a text.");
  const place = checked((rules) => rules.pageCursor(token));
  return place ? { at: place[0], run: place[1] } : undefined;
}

/** A date and a time of day with its offset (RFC 3339), of the years that every database knows. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const FIRST_TIME = Date.parse("0001-01-01T00:00:00Z");
const LAST_TIME = "9999-12-31T23:59:59.999Z";

/** The first millisecond that is not before it: a task's time has no smaller part. */
function requestedTime(time: unknown): string | undefined {
  if (time === undefined || time === "") return undefined;
  const text = typeof time === "string" && TIME.test(time) ? time : "";
  const parsed = Date.parse(text);
  if (!(parsed >= FIRST_TIME && parsed <= Date.parse(LAST_TIME))) {
    throw malformed("statusTimestampAfter is a time like 2026-01-31T23:59:59.999Z.");
  }
  const from = millisecondFrom(text);
  return from.startsWith("+") ? LAST_TIME : from;
}

function requestedState(state: TaskState): TaskView["state"] | null | undefined {
  if (state === TaskState.TASK_STATE_UNSPECIFIED) return undefined;
  if (!Object.hasOwn(TaskState, state) || state === TaskState.UNRECOGNIZED) {
    throw malformed("There is no such task state.");
  }
  return stateOfProtocol(state) ?? null;
}

/** What the rules refuse of a request is the caller's to put right. */
function checked<T>(question: (rules: Wasm) => T): T {
  try {
    return ask(question);
  } catch (error) {
    if (isSkeinResultsError(error)) throw malformed(error.message, error);
    throw error;
  }
}

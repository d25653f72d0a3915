import { readArgument, readMembers, requireList, requireText } from "../wasm/argument.js";
import { callPrimitive, type BoundDriver } from "../drivers/bound-driver.js";
import { requireCheckpointText, requireTexts } from "../drivers/answers.js";
import type { ResultCopy } from "../drivers/driver.js";
import { withStoredMark } from "../tasks/mark.js";
import { ask } from "../wasm/instance.js";

/** A copied thread: where the runs come from, and where they are going. */
export interface ThreadCopy {
  sourceThread: string;
  targetThread: string;
  /** Each copied run with its copy. Only runs that have ended are copied. */
  runs: readonly ResultCopy[];
}

/**
 * The kwargs of a copied run: its mark names the copy of its task, and is dropped where the task was
 * not copied. Nothing else is changed.
 *
 * @throws `invalid_argument`
 */
export function copiedKwargs<K extends object>(kwargs: K, copy: Pick<ThreadCopy, "runs">): K {
  const copyOf = (runId: string) =>
    readArgument("copy", () => copy.runs.find(({ from }) => from === runId)?.to);
  return withStoredMark(
    kwargs,
    ask((rules) => rules.copiedMark(kwargs, copyOf)),
  );
}

/**
 * The checkpoint of a copied result: the same one, on the copy's thread. For a host whose transaction
 * ends with the function that it is given, as that of better-sqlite3 does: it calls the driver's
 * `copyMany` with this itself, so that a failure rolls back.
 *
 * @throws `corrupt_result`, `driver_answer` for what is no text of a checkpoint, `invalid_argument`
 */
export function copiedCheckpoint(
  text: string,
  copy: Pick<ThreadCopy, "sourceThread" | "targetThread">,
): string {
  const { sourceThread, targetThread } = threadsOf(copy);
  const stored = requireCheckpointText(text);
  return ask((rules) => rules.copiedCheckpoint(stored, sourceThread, targetThread));
}

/** Gives the copies their results. See {@link ResultMethods.copyResults}. */
export async function copyEntries(
  { read, record, copyMany }: BoundDriver,
  copy: ThreadCopy,
  transaction: unknown,
): Promise<void> {
  const threads = threadsOf(copy);
  const runs = readArgument("copy", () => copy.runs);
  requireList("runs", runs, "{ from, to } as run ids", isCopy);
  if (runs.length === 0) return;
  const checkpointFor = (text: string) => copiedCheckpoint(text, threads);
  if (copyMany) {
    await callPrimitive("copyMany", () => copyMany(runs, checkpointFor, transaction));
    return;
  }
  for (const { from, to } of runs) {
    const texts = requireTexts(await callPrimitive("read", () => read(from)));
    if (!texts) continue;
    const checkpoint = texts.checkpoint === null ? null : checkpointFor(texts.checkpoint);
    await callPrimitive("record", () => record(to, { ...texts, checkpoint }));
  }
}

function threadsOf(copy: Pick<ThreadCopy, "sourceThread" | "targetThread">) {
  const threads = readMembers("copy", copy, "sourceThread", "targetThread");
  requireText("sourceThread", threads.sourceThread);
  requireText("targetThread", threads.targetThread);
  return threads;
}

function isCopy(member: unknown): member is ResultCopy {
  const { from, to } = member as Partial<ResultCopy>;
  return typeof from === "string" && typeof to === "string";
}

import type { ResultEntry, ResultTexts, StoredTexts } from "../wasm/shapes.js";
import type { ResultDriver } from "./driver.js";
import { SkeinResultsError } from "../wasm/errors.js";
import { everyMember } from "../wasm/every-member.js";
import type { StoredTask, StoredTaskPage } from "../tasks/query.js";

type Primitive = keyof ResultDriver;

/** What an answer must be, for the sentence, and how it is told. */
interface Expected<T> {
  readonly sentence: string;
  readonly is: (answer: unknown) => answer is T;
}

const TEXTS: Expected<Partial<StoredTexts> | null | undefined> = {
  sentence:
    "{ values, interrupts, reply, checkpoint } as texts or null, or null where there is no result",
  is: (answer): answer is Partial<StoredTexts> | null | undefined =>
    answer === null || answer === undefined || (isObject(answer) && hasTexts(answer)),
};

const ENTRIES: Expected<readonly ResultEntry[]> = {
  sentence: "a list of [run id, texts]",
  is: (answer): answer is ResultEntry[] => Array.isArray(answer) && everyMember(answer, isEntry),
};

const PAGE: Expected<StoredTaskPage> = {
  sentence: "{ tasks, total }: a list of tasks with all their members, and a number or null",
  is: (answer): answer is StoredTaskPage =>
    isObject(answer) &&
    Array.isArray(answer["tasks"]) &&
    everyMember(answer["tasks"], isStoredTask) &&
    (answer["total"] === null || typeof answer["total"] === "number"),
};

const FLAG: Expected<boolean> = {
  sentence: "true or false",
  is: (answer): answer is boolean => typeof answer === "boolean",
};

/** The texts of an answer of `read`; null where there are none. */
export function requireTexts(answer: unknown): ResultTexts | null {
  const texts = required("read", TEXTS, answer);
  if (texts?.values === null || texts?.values === undefined) return null;
  const { values, interrupts = null, reply = null, checkpoint = null } = texts;
  return { values, interrupts, reply, checkpoint };
}

/** The entries of an answer of `readMany`. */
export function requireEntries(answer: unknown): readonly ResultEntry[] {
  return required("readMany", ENTRIES, answer);
}

/** The page of an answer of `taskPage`. */
export function requireTaskPage(answer: unknown): StoredTaskPage {
  return required("taskPage", PAGE, answer);
}

/** What `admitResume` answered. */
export function requireFlag(answer: unknown): boolean {
  return required("admitResume", FLAG, answer);
}

/** The text that `copyMany` asks a checkpoint of. */
export function requireCheckpointText(text: unknown): string {
  if (typeof text === "string") return text;
  throw driverAnswer("copyMany", "call `checkpointFor` with the text of a checkpoint");
}

/** An answer that cannot be looked at is none, either. */
function required<T>(primitive: Primitive, { sentence, is }: Expected<T>, answer: unknown): T {
  let cause: unknown;
  try {
    if (is(answer)) return answer;
  } catch (thrown) {
    cause = thrown;
  }
  throw driverAnswer(primitive, `answer ${sentence}`, cause);
}

function driverAnswer(primitive: Primitive, duty: string, cause?: unknown): SkeinResultsError {
  return new SkeinResultsError(
    "driver_answer",
    `The store's \`${primitive}\` must ${duty}; it answered something else. Fix the driver.`,
    { details: { primitive }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** Whether something is a run and its texts. */
export function isEntry(entry: unknown): entry is ResultEntry {
  return (
    Array.isArray(entry) &&
    typeof entry[0] === "string" &&
    isObject(entry[1]) &&
    typeof entry[1]["values"] === "string" &&
    hasTexts(entry[1])
  );
}

/** A member for each of a stored task's, so that one that is added is looked at. */
const TASK_MEMBERS: Readonly<Record<keyof StoredTask, (member: unknown) => boolean>> = {
  run: isString,
  thread: isString,
  status: isString,
  at: isString,
  task: isString,
  error: isText,
  turn: (turn) => typeof turn === "number",
  messages: (messages) => Array.isArray(messages) && everyMember(messages, isText),
  context: isText,
  movedOn: (movedOn) => typeof movedOn === "boolean",
  values: isText,
  interrupts: isText,
  reply: isText,
  checkpoint: isText,
};

function isStoredTask(task: unknown): boolean {
  return (
    isObject(task) && Object.entries(TASK_MEMBERS).every(([name, isMember]) => isMember(task[name]))
  );
}

function hasTexts(answer: Record<string, unknown>): boolean {
  return ["values", "interrupts", "reply", "checkpoint"].every((name) => isText(answer[name]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

/** A text, or none. */
function isText(value: unknown): boolean {
  return value === null || value === undefined || typeof value === "string";
}

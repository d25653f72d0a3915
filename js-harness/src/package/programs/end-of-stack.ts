// Makes every call of the package with nearly no stack left, and sends what came of each. In a process of its
// own: Node itself has something to print there, and what ends a process has to be seen.

import { isSkeinResultsError, resultMethods, type ResultTexts } from "skein-results";

import { EVERY_CALL, type EveryCall } from "../testing/every-call.js";

/** What came of one call. */
export interface AtTheEnd {
  name: string;
  /** How many of those at the end of the stack failed, and how many did not. */
  failed: number;
  answered: number;
  /** Failures that are neither the package's own nor the engine's. */
  strange: string[];
  /** What the same call comes to with all of the stack, before and after. */
  before: string;
  after: string;
  /** What is read of a result that is kept after. */
  kept: unknown;
}

/** More than any of the calls takes. */
const STEPS = 150;

/** Goes to the end of the stack, and calls on each of the last steps of the way back. */
function descend(call: () => void): number {
  let below: number;
  try {
    below = descend(call);
  } catch {
    return 0;
  }
  if (below < STEPS) call();
  return below + 1;
}

/** What a call came to, in a word. */
async function outcomeOf({ open, given }: EveryCall): Promise<string> {
  try {
    await open()(...given());
    return "answered";
  } catch (error) {
    return told(error);
  }
}

function told(error: unknown): string {
  if (isSkeinResultsError(error)) return error.code;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Where it has no stack for one of its own functions, V8 takes it for one that is not there. */
const isOfEngine = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof TypeError && error.message === "undefined is not a function");

async function atTheEnd(every: EveryCall): Promise<AtTheEnd> {
  const before = await outcomeOf(every);
  const call = every.open();
  const given = Array.from({ length: STEPS }, every.given);
  const answers: unknown[] = [];
  const failures: unknown[] = [];
  descend(() => {
    try {
      answers.push(call(...(given.pop() ?? [])));
    } catch (error) {
      failures.push(error);
    }
  });
  const settled = await Promise.allSettled(answers);
  for (const answer of settled) {
    if (answer.status === "rejected") failures.push(answer.reason);
  }
  return {
    name: every.name,
    failed: failures.length,
    answered: settled.filter(({ status }) => status === "fulfilled").length,
    strange: [...new Set(failures.filter((error) => !isOfPackage(error)).map(told))],
    before,
    after: await outcomeOf(every),
    kept: await keptNext(),
  };
}

const isOfPackage = (error: unknown): boolean => isSkeinResultsError(error) || isOfEngine(error);

async function keptNext(): Promise<unknown> {
  const kept = new Map<string, ResultTexts>();
  const runs = resultMethods({
    record: (run, texts) => void kept.set(run, texts),
    read: (run) => kept.get(run) ?? null,
  });
  await runs.recordResult("run", { values: { kept: 1 } });
  return runs.getResult("run");
}

const outcomes: AtTheEnd[] = [];
for (const every of EVERY_CALL) outcomes.push(await atTheEnd(every));
process.send?.(outcomes);
process.disconnect();

// A result whose texts are longer than every store can give back is refused where it is captured, by whatever
// way it comes, and one that is as long as they may be is kept.

import {
  isSkeinResultsError,
  markRun,
  mergeResults,
  resultMethods,
  RunSettlement,
  type ResultTexts,
  type RunResult,
} from "skein-results";
import { beforeEach, describe, expect, it } from "vitest";

/** Of all texts of a result together. */
const LIMIT = 2 ** 27;

/** A value of which the JSON text has that many characters. */
const textOf = (length: number): string => "x".repeat(length - '""'.length);

/** A result of values and of one more member, with that many characters of text together. */
function resultOf(length: number, member: keyof RunResult): RunResult {
  if (member === "values") return { values: textOf(length) as never };
  const values = textOf(LIMIT / 2) as never;
  const rest = length - LIMIT / 2;
  if (member !== "interrupts") return { values, [member]: textOf(rest) };
  const questions = (value: string) => ({ t: [{ id: "q", value }] });
  const around = JSON.stringify(questions("")).length;
  return { values, interrupts: questions("x".repeat(rest - around)) };
}

const stored = new Map<string, ResultTexts>();
const runs = resultMethods({
  record: (run, texts) => void stored.set(run, texts),
  read: (run) => stored.get(run) ?? null,
  settle: (run, { status, result }) => {
    if (result) stored.set(run, result);
    return { status, won: true };
  },
});

/** The ways of a result into a store, the codes of their failures from the outside in, and what they are given. */
interface Way {
  take: (result: RunResult) => unknown;
  codes: readonly string[];
  members: readonly (keyof RunResult)[];
}

const WAYS: Readonly<Record<string, Way>> = {
  "a result that is recorded": {
    take: (result) => runs.recordResult("run", result),
    codes: ["not_serializable"],
    members: ["values", "interrupts", "reply", "checkpoint"],
  },
  "a result that is settled": {
    take: (result) => runs.settleRun("run", { status: "success", result }),
    codes: ["not_serializable"],
    members: ["values"],
  },
  "the result of an attempt": {
    take: (result) =>
      new RunSettlement(runs, {
        runId: "run",
        kwargs: markRun({}, { root: "run", turn: 0, message: null }),
      }).settle({ end: "finished", status: "success", result }, () => Promise.resolve()),
    codes: ["capture_failed", "not_serializable"],
    members: ["reply"],
  },
  "an entry of a snapshot": {
    take: (result) => runs.attachResults(mergeResults({ results: [["run", result]] })),
    codes: ["invalid_snapshot", "not_serializable"],
    members: ["interrupts"],
  },
};

beforeEach(() => {
  stored.clear();
});

describe.each(Object.entries(WAYS))("%s", (_way, { take, codes, members }) => {
  it.each(members)("is refused, typed, where it becomes too long with its %s", async (member) => {
    const result = resultOf(LIMIT + 1, member);

    let failure = await Promise.resolve()
      .then(() => take(result))
      .catch((error: unknown) => error);

    for (const code of codes.slice(0, -1)) {
      expect(failure).toMatchObject({ code });
      failure = (failure as Error).cause;
    }
    if (!isSkeinResultsError(failure)) throw new Error("It was taken.");
    expect(failure.code).toBe(codes.at(-1));
    expect(failure.details["path"]).toBe(member);
    expect(failure.cause).toBeInstanceOf(RangeError);
    expect(failure.message).toMatch(/134,217,728/);
    expect(stored.size).toBe(0);
    await take({ values: { answer: 42 } });
    expect(await runs.getResult("run")).toEqual({ values: { answer: 42 } });
  });

  it("is kept where it is as long as it may be", async () => {
    const result = resultOf(LIMIT, "reply");

    await take(result);

    const found = await runs.getResult("run");
    // Not told by the runner, who would print them.
    expect(found?.values === result.values && found.reply === result.reply).toBe(true);
  });
});

it.each(["values", "interrupts"] as const)(
  "%s that are longer than the engine's longest text are refused in the same way",
  async (member) => {
    // One text, so that only the JSON is long: V8's longest string has some 2^29 characters. Each character is
    // an escape of six there: as they are, they are not too many to be written.
    const long = { parts: Array<string>(6).fill("\u0001".repeat(2 ** 24)) };
    const content = member === "interrupts" ? { t: [{ id: "q", value: long }] } : long;

    await expect(runs.recordResult("run", { values: {}, [member]: content })).rejects.toMatchObject(
      {
        code: "not_serializable",
        details: { path: member },
        cause: expect.any(RangeError) as unknown,
      },
    );
    expect(stored.size).toBe(0);
    await runs.recordResult("run", { values: { answer: 42 } });
    expect(await runs.getResult("run")).toEqual({ values: { answer: 42 } });
  },
);

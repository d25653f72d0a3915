// What leaves an instance of the module in the middle of a call, a trap or the end of the stack, fails what
// was asked, typed, and nothing else: the next call is answered by a new instance.

import { setImmediate, setTimeout as wait } from "node:timers/promises";

import type { ResultDriver, RunResult } from "skein-results";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openTrappingPackage, type TrappingPackage } from "./testing/trapping-package.js";

let trapping: TrappingPackage;
beforeAll(async () => {
  trapping = await openTrappingPackage();
});
afterAll(() => trapping.remove());

/** What nobody waits for, and would have ended a process. */
let lost: unknown[];
const lose = (thrown: unknown): void => void lost.push(thrown);
beforeEach(() => {
  lost = [];
  process.on("unhandledRejection", lose).on("uncaughtException", lose);
});
afterEach(async () => {
  await wait(5);
  process.off("unhandledRejection", lose).off("uncaughtException", lose);
  expect(lost).toEqual([]);
});

type Answers = <T>(answer: T) => T | Promise<T>;
const atOnce: Answers = (answer) => answer;
const later: Answers = async (answer) => {
  await setImmediate();
  return answer;
};

function driverOf(answer: Answers, over: Partial<ResultDriver> = {}): ResultDriver {
  const results = new Map<string, Parameters<ResultDriver["record"]>[1]>();
  return {
    record: (run, texts) => {
      if (!results.has(run)) results.set(run, texts);
      return answer(undefined);
    },
    read: (run) => answer(results.get(run) ?? null),
    settle: (run, { status, result }) => {
      if (result) results.set(run, result);
      return answer({ status, won: true });
    },
    cancel: () => answer({ status: "cancelled", won: true }),
    start: () => answer({ status: "running", won: true }),
    readMany: (runs) => answer(runs.flatMap((run) => (results.has(run) ? [] : []))),
    ...over,
  };
}

const RESULT: RunResult = {
  values: { messages: [{ type: "ai", content: "the answer" }] },
  reply: "the answer",
  checkpoint: { thread_id: "thread", checkpoint_ns: "", checkpoint_id: "c", checkpoint_map: {} },
};
const MARK = { root: "run", turn: 0, message: null };

type Questions = Readonly<Record<string, (pkg: TrappingPackage["rules"]) => unknown>>;

/** What a host asks of the rules alone. */
const QUESTIONS_AT_ONCE: Questions = {
  "what cannot be serialized": (pkg) => pkg.serializeWireJson({ a: [1n] }),
  "a value on the wire": (pkg) => pkg.serializeWireJson({ a: [{ b: 1 }] }),
  "a mark that is written and read": (pkg) => pkg.readMark(pkg.markRun({ input: 1 }, MARK)),
  "a mark that is none": (pkg) => pkg.markRun({}, { root: "", turn: 0, message: null }),
  "the entries of a snapshot": (pkg) =>
    pkg.mergeResults(
      {
        version: 1,
        results: [
          ["run", RESULT],
          ["gone", RESULT],
        ],
      },
      (run) => run === "run",
    ),
  "a snapshot that is none": (pkg) => pkg.mergeResults({ version: 1, results: [["run"]] }),
  "kwargs of a copy": (pkg) =>
    pkg.copiedKwargs(pkg.markRun({}, MARK), { runs: [{ from: "run", to: "copy" }] }),
  "kwargs of a snapshot": (pkg) =>
    pkg.importedKwargs({ runId: "run", threadId: "thread", kwargs: pkg.markRun({}, MARK) }, () => ({
      runId: "run",
      threadId: "thread",
      kwargs: pkg.markRun({}, MARK),
    })),
  // What a task of these facts shows is asked once and kept; its mark is read each time.
  "a task": (pkg) =>
    pkg.renderTask({
      run: {
        run_id: "run",
        thread_id: "thread",
        status: "success",
        updated_at: new Date(0).toISOString(),
      },
      mark: pkg.readMark(pkg.markRun({}, MARK)) ?? MARK,
      result: RESULT,
      movedOn: false,
    } as never),
};

function writesWith(answer: Answers): Questions {
  return {
    "a result that is recorded and read": async (pkg) => {
      const runs = pkg.resultMethods(driverOf(answer));
      await runs.recordResult("run", RESULT);
      return runs.getResult("run");
    },
    "a settle, a start and a cancellation": async (pkg) => {
      const methods = pkg.resultMethods(driverOf(answer));
      return [
        await methods.startRun?.("run"),
        await methods.settleRun?.("run", { status: "success", result: RESULT }),
        await methods.cancelRun?.("run"),
        await methods.exportResults(["run"]),
      ];
    },
    "a driver that fails": (pkg) =>
      pkg
        .resultMethods(driverOf(answer, { read: () => Promise.reject(new Error("down")) }))
        .getResult("run"),
    "an attempt that settles in one write": (pkg) =>
      settling(pkg, pkg.resultMethods(driverOf(answer))),
    "an attempt that settles in two": (pkg) => {
      const runs = pkg.resultMethods(driverOf(answer));
      return settling(pkg, { recordResult: (run, result) => runs.recordResult(run, result) });
    },
  };
}

function settling(
  pkg: TrappingPackage["rules"],
  runs: ConstructorParameters<TrappingPackage["rules"]["RunSettlement"]>[0],
): Promise<unknown> {
  const attempt = new pkg.RunSettlement(runs, { runId: "run", kwargs: pkg.markRun({}, MARK) });
  return attempt.settle({ end: "finished", status: "success", result: RESULT }, (status) =>
    Promise.resolve(status),
  );
}

/** What a host asks, by name; each answers the same whenever it is asked. */
const QUESTIONS: Questions = {
  ...Object.fromEntries(
    Object.entries({ "at once": atOnce, later }).flatMap(([when, answer]) =>
      Object.entries(writesWith(answer)).map(([name, question]) => [`${name}, ${when}`, question]),
    ),
  ),
  ...QUESTIONS_AT_ONCE,
};

/** What came of a question: its answer, or the code and the cause of the failure. */
async function answerTo(question: (pkg: TrappingPackage["rules"]) => unknown): Promise<unknown> {
  try {
    return { answer: await question(trapping.rules) };
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: unknown };
    return { code, cause: cause instanceof Error ? cause.name : cause };
  }
}

const TRAPPED = { code: "internal_fault", cause: "RuntimeError" };

describe.each(Object.keys(QUESTIONS))("%s", (name) => {
  const question = QUESTIONS[name] ?? (() => undefined);

  it("fails typed wherever the module traps, and is answered when it is asked again", async () => {
    const expected = await answerTo(question);
    let traps = 0;
    for (const call of trapping.calls) {
      const hasTrapped = trapping.trapAt(call);
      const answered = await answerTo(question);
      if (hasTrapped()) {
        traps += 1;
        expect({ call, answered }).toEqual({ call, answered: TRAPPED });
      } else {
        expect({ call, answered }).toEqual({ call, answered: expected });
        trapping.disarm();
      }
      expect({ call, again: await answerTo(question) }).toEqual({ call, again: expected });
    }
    expect(traps).toBeGreaterThan(0);
  });
});

describe("an instance that traps", () => {
  it("fails what waits for the host in it, and drops what the host answers then", async () => {
    const { resultMethods, isTerminalRunStatus } = trapping.rules;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const answer = async <T>(value: T): Promise<T> => {
      await held;
      return value;
    };
    const rejects = async (): Promise<never> => {
      await held;
      throw new Error("late");
    };
    const waiting = [
      resultMethods(driverOf(answer)).getResult("run"),
      resultMethods(driverOf(answer)).recordResult("run", RESULT),
      resultMethods(driverOf(answer, { read: rejects })).getResult("run"),
    ].map((work) => work.catch((error: unknown) => error));

    const hasTrapped = trapping.trapAt(callNamed("resultTexts"));
    const failed = await answerTo(
      QUESTIONS["a result that is recorded and read, at once"] ?? String,
    );

    expect(hasTrapped()).toBe(true);
    expect(failed).toEqual(TRAPPED);
    for (const work of waiting) {
      expect(await work).toMatchObject({ code: "internal_fault", cause: { name: "RuntimeError" } });
    }
    release();
    await setImmediate();
    expect(isTerminalRunStatus("success")).toBe(true);
  });

  it("is not believed any more, though the host swallows the failure within a call", async () => {
    const { resultMethods, serializeWireJson } = trapping.rules;
    const runs = resultMethods(driverOf(atOnce));
    const seen: unknown[] = [];
    const ask = (): void => {
      try {
        seen.push(serializeWireJson([1]));
      } catch (error) {
        seen.push((error as { code?: string }).code);
      }
    };
    const values = {
      get answer() {
        if (seen.length === 0) trapping.trapAt(callNamed("stringifyValue"));
        ask();
        return "swallowed";
      },
    };

    await expect(runs.recordResult("run", { values })).rejects.toMatchObject({
      code: "internal_fault",
    });
    // The second question within the call is not put to the instance.
    expect(seen).toEqual(["internal_fault", "internal_fault"]);
    // What it has written before is told as what may have been written.
    expect(await runs.getResult("run")).toEqual({ values: { answer: "swallowed" } });
    ask();
    expect(seen.at(-1)).toBe("[1]");
  });

  it("leaves nothing behind, however often that happens", async () => {
    const question = QUESTIONS["a result that is recorded and read, later"] ?? String;
    const sizesOfNewInstance = async (): Promise<number[]> => {
      trapping.trapAt(callNamed("resultTexts"));
      expect(await answerTo(question)).toEqual(TRAPPED);
      expect(await answerTo(question)).toEqual({ answer: RESULT });
      const { memory, __wbindgen_externrefs: references } = trapping.instance();
      return [memory.buffer.byteLength, references.length];
    };
    const first = await sizesOfNewInstance();
    for (let time = 0; time < 200; time += 1) expect(await sizesOfNewInstance()).toEqual(first);
  });
});

describe("the end of the stack", () => {
  it.each(Object.keys(QUESTIONS_AT_ONCE))("harms nothing: %s", async (name) => {
    const question = QUESTIONS_AT_ONCE[name] ?? String;
    const expected = await answerTo(question);
    const failures: unknown[] = [];
    /** Goes to the end of the stack, and asks on each of the last steps of the way back. */
    const descend = (): number => {
      let below: number;
      try {
        below = descend();
      } catch {
        return 0;
      }
      if (below < 120) {
        try {
          answers.push(question(trapping.rules));
        } catch (error) {
          failures.push(error);
        }
      }
      return below + 1;
    };
    const answers: unknown[] = [];
    descend();

    expect(failures.length).toBeGreaterThan(0);
    // Nothing but the right answer, and no failure but a typed one and the engine's own.
    for (const answer of answers) expect({ answer }).toEqual(expected);
    expect(failures.filter((error) => !isTyped(error) && !isOfEngine(error))).toEqual([]);
    expect(await answerTo(question)).toEqual(expected);
  });
});

/** Where it has no stack for one of its own functions, V8 takes it for one that is not there. */
const isOfEngine = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof TypeError && error.message === "undefined is not a function");

const isTyped = (error: unknown): boolean =>
  error instanceof Error && error.name === "SkeinResultsError" && "code" in error;

function callNamed(name: string): string {
  const call = trapping.calls.find((known) => known.endsWith(` ${name}`));
  if (call === undefined) throw new Error(`The module does not call ${name}.`);
  return call;
}

// Texts that make WebAssembly's memory grow in the middle of a call harm no call before, beside or after it,
// and one for which there is no memory fails typed, and leaves a new instance behind (case W-05).
//
// Values that no rule looks into never enter that memory. What does: the texts of marks, of failures with the
// keys on the way to them, and the ids of threads and interrupts.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import * as built from "skein-results";
import type { ResultDriver, ResultTexts, RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openChangedPackage, type ChangedPackage } from "./testing/changed-package.js";

const MB = 1_000_000;
const PAGE = 65_536;
/** Where the memory of the changed package ends: at a quarter of a gigabyte. */
const PAGES = 4_000;
/** The engine's longest text in bytes, as far as its decoder goes; V8's has half a gigabyte. */
const LONGEST_TEXT = 20 * MB;

let changed: ChangedPackage<Instance>;
const { TextDecoder: EnginesDecoder } = globalThis;
beforeAll(async () => {
  class ShortDecoder extends EnginesDecoder {
    override decode(...[bytes, options]: Parameters<TextDecoder["decode"]>): string {
      if ((bytes?.byteLength ?? 0) <= LONGEST_TEXT) return super.decode(bytes, options);
      // As Node says it.
      throw Object.assign(new Error("Cannot create a string longer than that"), {
        code: "ERR_STRING_TOO_LONG",
      });
    }
  }
  globalThis.TextDecoder = ShortDecoder;
  changed = await openChangedPackage((module) =>
    module.replace(/^ \(memory (\$\S+) (\d+)\)$/m, ` (memory $1 $2 ${PAGES})`),
  );
  globalThis.TextDecoder = EnginesDecoder;
});
afterAll(() => changed.remove());

type Rules = typeof built;
interface Instance {
  memory: WebAssembly.Memory;
}

const pagesOf = ({ memory }: Instance): number => memory.buffer.byteLength / PAGE;

/** The instance of the package as it is built. */
async function builtInstance(): Promise<Instance> {
  const entry = createRequire(import.meta.url).resolve("skein-results");
  const glue = pathToFileURL(join(dirname(entry), "wasm", "glue.js"));
  // It answers the instance that there is, and makes no other.
  const { initSync } = (await import(glue.href)) as { initSync: (source: object) => Instance };
  return initSync({});
}

/** What comes out of the rules with a text in it, and what that has to be. */
interface Answer {
  found: unknown;
  expected: unknown;
}

/** Questions with a text in them that enters the module's memory. */
const QUESTIONS: Readonly<Record<string, (rules: Rules, text: string) => Answer>> = {
  "a mark": (rules, text) => {
    const mark = { root: "run", turn: 0, message: text };
    const { markRun, readMark } = rules;
    return { found: readMark(markRun({}, mark)), expected: mark };
  },
  "the mark of a copy": (rules, text) => {
    const { copiedKwargs, markRun, readMark } = rules;
    const kwargs = markRun({}, { root: "run", turn: 0, message: text });
    const found = readMark(copiedKwargs(kwargs, { runs: [{ from: "run", to: "copy" }] }));
    return { found, expected: { root: "copy", turn: 0, message: text } };
  },
  "a checkpoint on another thread": (rules, text) => ({
    found: rules.copiedCheckpoint('{"thread_id":"a"}', {
      sourceThread: "a",
      targetThread: text,
    }),
    expected: JSON.stringify({ thread_id: text }),
  }),
  "the reason of a failure": (rules, text) => {
    const cause = new Error(text);
    const failure = failureOf(rules, {
      get a() {
        throw cause;
      },
    });
    const { code, details, message } = failure;
    const found = {
      code,
      details,
      isTold: message.includes(text),
      isKept: failure.cause === cause,
    };
    return {
      found,
      expected: { code: "not_serializable", details: { path: "a" }, isTold: true, isKept: true },
    };
  },
  "the place of a failure": (rules, text) => ({
    found: failureOf(rules, { [text]: 1n }).details["path"],
    expected: text,
  }),
  "an answer's interrupt": (rules, text) => {
    const checkpoint = { thread_id: "t", checkpoint_ns: "", checkpoint_id: "c" };
    const run = { thread_id: "t", status: "interrupted" } as const;
    const [found, tip, pending] = ["c", "c", [{ id: text }]];
    const facts = { run, movedOn: false, checkpoint: checkpoint as never, found, tip, pending };
    return {
      found: rules.planResume(facts, { plain: 1 }),
      expected: { at: "interrupts", resume: { [text]: 1 } },
    };
  },
};

/** The package's own error, from this copy of it. */
type Failure = Error & { code: string; details: Record<string, unknown> };

function failureOf(rules: Rules, value: unknown): Failure {
  try {
    rules.serializeWireJson(value);
  } catch (error) {
    // One that is none of what is expected here is the test's to see.
    if ((error as Failure).code === "not_serializable") return error as Failure;
    throw error;
  }
  throw new Error("It was written.");
}

/** Compared as a whole: the runner would look for what differs, and print it. */
function requireSame({ found, expected }: Answer): void {
  expect(JSON.stringify(found) === JSON.stringify(expected)).toBe(true);
}

const ask = (rules: Rules, text: string): Answer[] =>
  Object.values(QUESTIONS).map((question) => question(rules, text));

/** Keeps what is written, and answers when it is told to. */
function gatedRuns(rules: Rules) {
  const kept = new Map<string, ResultTexts>();
  const gate = { open: (): void => undefined };
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const driver: ResultDriver = {
    record: async (run, texts) => {
      kept.set(run, texts);
      await opened;
    },
    read: async (run) => {
      await opened;
      return kept.get(run) ?? null;
    },
  };
  return { runs: rules.resultMethods(driver), gate };
}

describe("a memory that grows", { timeout: 300_000 }, () => {
  it("harms no call before, beside or after it, and nothing that was answered", async () => {
    const ROUNDS = 10;
    const held: Answer[] = [];
    const sizes = [pagesOf(await builtInstance())];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const tiny = ask(built, `tiny${round}`);
      const text = "x".repeat(round * 5 * MB);
      const { runs, gate } = gatedRuns(built);
      const result: RunResult = { values: { text } };
      const waiting = [runs.recordResult("run", result), runs.getResult("run")] as const;

      for (const name of ["a mark", "a checkpoint on another thread", "the reason of a failure"]) {
        const answer = QUESTIONS[name]?.(built, text);
        if (answer) held.push(answer);
      }
      sizes.push(pagesOf(await builtInstance()));

      gate.open();
      await waiting[0];
      requireSame({ found: await waiting[1], expected: result });
      held.push(...tiny, ...ask(built, `again${round}`));
      await setImmediate();
    }

    for (const answer of held) requireSame(answer);
    // It has grown in most of the rounds, or nothing has been seen.
    expect(new Set(sizes).size).toBeGreaterThan(ROUNDS / 2);
  });
});

describe("a text for which there is no memory", { timeout: 300_000 }, () => {
  const TOO_LARGE = PAGES * PAGE;

  const texts: readonly (readonly [name: string, why: string, text: string])[] = [
    ...Object.keys(QUESTIONS).map((name) => [name, "RuntimeError", "x".repeat(TOO_LARGE)] as const),
    // Three bytes each: it is found in the middle of the copy into the memory.
    ["a mark", "RuntimeError", "\u4e2d".repeat(TOO_LARGE / 2)],
    // It has room in there, and the engine has no text for what comes out.
    ["a mark", "ERR_STRING_TOO_LONG", "x".repeat(LONGEST_TEXT + 1)],
    ["the reason of a failure", "ERR_STRING_TOO_LONG", "x".repeat(LONGEST_TEXT + 1)],
  ];

  it.each(texts)(
    "fails typed as %s (%s), and the next call is answered",
    async (name, why, text) => {
      const { rules } = changed;
      const question = QUESTIONS[name] ?? ask;
      const { runs, gate } = gatedRuns(rules);
      const early = ask(rules, "early");
      const waiting = runs.recordResult("run", { values: {} }).catch((error: unknown) => error);

      let thrown: unknown;
      try {
        question(rules, text);
      } catch (error) {
        thrown = error;
      }

      const { code, cause } = thrown as { code: string; cause: { name: string; code?: string } };
      expect({ code, why: cause.code ?? cause.name }).toEqual({ code: "internal_fault", why });
      expect(await waiting).toMatchObject({ code: "internal_fault" });
      gate.open();
      // Nothing of the text is kept.
      expect(pagesOf(changed.instance())).toBeLessThan(100);
      for (const answer of [...early, ...ask(rules, "next")]) requireSame(answer);
      const next = gatedRuns(rules);
      next.gate.open();
      await next.runs.recordResult("run", { values: { next: 1 } });
      expect(await next.runs.getResult("run")).toEqual({ values: { next: 1 } });
    },
  );
});

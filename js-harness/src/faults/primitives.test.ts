// A driver that fails in every way that a host call can, in each of its primitives: the error says what
// happened, nothing but the call is lost, and the package works on as if it had never been asked.

import {
  isSkeinResultsError,
  readMark,
  renderTask,
  resultMethods,
  serializeWireJson,
  type ResultDriver,
} from "skein-results";
import { describe, expect, it } from "vitest";

import {
  ELSEWHERE,
  freshDriver,
  HERE,
  methodsWith,
  PRIMITIVES,
  WAYS,
  type PrimitiveName,
  type Way,
} from "./primitives.js";

type Primitive = (...given: unknown[]) => unknown;

const own = (driver: ResultDriver, name: PrimitiveName): Primitive =>
  driver[name]?.bind(driver) as Primitive;

class DatabaseDown extends Error {
  readonly code = "57P01";
}

const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** What may be thrown: also what is no error, and what cannot be looked at. */
const THROWN: readonly unknown[] = [
  new DatabaseDown("terminating connection"),
  new TypeError(),
  Object.freeze(new Error("frozen")),
  "a text",
  7,
  null,
  undefined,
  Symbol("thrown"),
  { code: "driver_answer", details: {}, message: "of the same shape", cause: null },
  Object.defineProperty(new Error(), "message", {
    get: () => {
      throw new Error("no message");
    },
  }),
  revoked.proxy,
];

const FAILED = ["driver_failed"];

/** The failure of a call, in a box: what cannot be looked at cannot be awaited. */
async function failureOf(call: Promise<unknown>): Promise<{ failure: unknown }> {
  const outcome = await call.then(
    () => null,
    (failure: unknown) => ({ failure }),
  );
  if (outcome === null) throw new Error("The call went through.");
  return outcome;
}

/** Follows the causes of an error down to the one that the driver's failure is. */
function driverErrorIn({ failure }: { failure: unknown }, codes: readonly string[]): Error {
  let error = failure;
  for (const [depth, code] of codes.entries()) {
    if (depth > 0) error = (error as Error).cause;
    expect(isSkeinResultsError(error)).toBe(true);
    expect(error).toMatchObject({ code });
  }
  return error as Error;
}

/** The package, asked through a driver that is well: every rule answers. */
async function expectToWork(): Promise<void> {
  const runs = resultMethods(freshDriver());
  await runs.recordResult(HERE.running, { values: { fresh: true } });
  expect(await runs.getResult(HERE.running)).toEqual({ values: { fresh: true } });
  expect(await runs.settleRun(HERE.running, { status: "success" })).toMatchObject({ won: true });
}

describe.each(WAYS)("$name, called by $way", ({ name, said }) => {
  const { codes = FAILED } = said;

  it("that throws or rejects is told with its cause, whatever that is", async () => {
    for (const thrown of THROWN) {
      const failing: Primitive[] = [
        () => {
          throw thrown;
        },
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a driver may
        () => Promise.reject(thrown),
        async () => {
          await Promise.resolve();
          throw thrown;
        },
      ];
      for (const primitive of failing) {
        const runs = methodsWith(freshDriver(), name, primitive, said);
        const error = driverErrorIn(await failureOf(said.call(runs, HERE)), codes);
        expect(Object.is(error.cause, thrown)).toBe(true);
        expect(error).toMatchObject({ details: { primitive: name } });
        expect(error.message).toContain(`\`${name}\``);
      }
    }
    await expectToWork();
  });

  it("that fails once is asked again by the next call, which goes through", async () => {
    const driver = freshDriver();
    let isWell = false;
    const primitive: Primitive = (...given) => {
      if (isWell) return own(driver, name)(...given);
      throw new DatabaseDown("not now");
    };
    const runs = methodsWith(driver, name, primitive, said);
    await failureOf(said.call(runs, HERE));
    isWell = true;
    expect(await said.call(runs, HERE)).toEqual(await wellAnswered(said));
  });

  it("that hangs until it is aborted holds nothing but its own call", async () => {
    const driver = freshDriver();
    const hanging = new AbortController();
    const { signal } = hanging;
    let isHung = false;
    let reached = (): void => undefined;
    const hangs = new Promise<void>((resolve) => (reached = resolve));
    const primitive: Primitive = (...given) => {
      if (isHung) return own(driver, name)(...given);
      isHung = true;
      reached();
      return new Promise((_, reject) => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as fetch does
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const runs = methodsWith(driver, name, primitive, said);
    let hasEnded = false;
    const hung = failureOf(said.call(runs, HERE)).finally(() => (hasEnded = true));

    await hangs;
    // The same call for another run, and every other one, of this driver and of another.
    await said.call(runs, ELSEWHERE);
    for (const other of WAYS.filter((way) => way.said.lacking === undefined)) {
      await other.said.call(methodsWith(driver, name, own(driver, name), other.said), ELSEWHERE);
    }
    await expectToWork();
    expect(hasEnded).toBe(false);

    hanging.abort();
    expect(driverErrorIn(await hung, codes).cause).toBe(signal.reason);
    await said.call(runs, HERE);
    await expectToWork();
  });

  it("that answers with junk is told so, and does not hand the junk on", async () => {
    const { junk } = PRIMITIVES[name];
    const later = (answer: unknown) => async () => {
      await Promise.resolve();
      return answer;
    };
    for (const answer of junk ?? [7, "text", {}, null, [], Symbol("junk"), () => 1]) {
      for (const primitive of [() => answer, later(answer)]) {
        const runs = methodsWith(freshDriver(), name, primitive, said);
        if (junk === null) {
          // Nothing is expected, and nothing is looked at.
          expect(["undefined", "string"]).toContain(typeof (await said.call(runs, HERE)));
          continue;
        }
        const answered = codes.map((code) => (code === "driver_failed" ? "driver_answer" : code));
        const error = driverErrorIn(await failureOf(said.call(runs, HERE)), answered);
        expect(error).toMatchObject({ details: { primitive: name } });
      }
    }
    await expectToWork();
  });

  it("may call back into the package, at once and after an await", async () => {
    for (const kind of ["at once", "after an await"] as const) {
      const driver = freshDriver();
      let depth = 0;
      const asked: unknown[] = [];
      const callBack = async () => {
        depth += 1;
        try {
          asked.push(serializeWireJson({ a: [1] }), readMark({}));
          renderTask({
            run: { run_id: "r", thread_id: "t", status: "success", updated_at: "2026-01-01" },
            mark: { root: "r", turn: 0, message: null },
            result: { values: 1 as never },
            movedOn: false,
          });
          await Promise.all([
            expectToWork(),
            // This very call, of another run, while the first is under way.
            said.call(runs, ELSEWHERE),
            runs.getResult(HERE.done),
          ]);
        } finally {
          depth -= 1;
        }
      };
      const primitive: Primitive = (...given) => {
        if (depth > 0) return own(driver, name)(...given);
        if (kind === "after an await") {
          return (async () => {
            await Promise.resolve();
            await callBack();
            return own(driver, name)(...given);
          })();
        }
        const called = callBack();
        const answer = own(driver, name)(...given);
        return called.then(() => answer);
      };
      const runs = methodsWith(driver, name, primitive, said);
      expect(await said.call(runs, HERE)).toEqual(await wellAnswered(said));
      expect(asked.length).toBeGreaterThan(0);
    }
  });
});

/** What the call answers where nothing is wrong. */
async function wellAnswered(way: Way): Promise<unknown> {
  const driver = freshDriver();
  return way.call(methodsWith(driver, "record", own(driver, "record"), way), HERE);
}

describe("a driver's `copyMany`", () => {
  it("that asks for the checkpoint of what is no text is told so", async () => {
    for (const junk of [undefined, null, 7, {}, Symbol("junk")]) {
      const runs = methodsWith(
        freshDriver(),
        "copyMany",
        (_copies: unknown, checkpointFor: (text: unknown) => string) => checkpointFor(junk),
        {} as Way,
      );
      const copy = { sourceThread: "s", targetThread: "t", runs: [{ from: "a", to: "b" }] };
      const error = driverErrorIn(await failureOf(runs.copyResults(copy)), FAILED);
      expect(error.cause).toMatchObject({ code: "driver_answer" });
    }
  });
});

describe("a driver's `admitResume`", () => {
  it("hands on what the host's own `create` throws, as it is", async () => {
    const runs = resultMethods(freshDriver());
    for (const thrown of THROWN) {
      const admitted = runs.admitResume(HERE.paused, () => {
        throw thrown;
      });
      expect(Object.is((await failureOf(admitted)).failure, thrown)).toBe(true);
    }
  });
});

// A result whose text is longer than the engine's longest string is refused where it is captured.

import { isSkeinResultsError, resultMethods, type ResultTexts } from "skein-results";
import { expect, it } from "vitest";

/**
 * V8's longest string has some 2^29 characters; the parts are one text, so that only the JSON is long, and
 * each of their characters is an escape of six: as they are, they are not too many.
 */
const PART = "\u0001".repeat(2 ** 24);
const TOO_MANY = 6;

it.each(["values", "reply", "interrupts"] as const)(
  "%s that are too long are refused typed, and nothing is stored",
  async (member) => {
    const stored = new Map<string, ResultTexts>();
    const runs = resultMethods({
      record: (run, texts) => void stored.set(run, texts),
      read: (run) => stored.get(run) ?? null,
    });
    const long = { parts: Array<string>(TOO_MANY).fill(PART) };
    const content = member === "interrupts" ? { t: [{ id: "q", value: long }] } : long;

    const failure: unknown = await runs
      .recordResult("run", { values: {}, [member]: content })
      .catch((error: unknown) => error);

    if (!isSkeinResultsError(failure)) throw new Error("It was taken.");
    expect(failure.code).toBe("not_serializable");
    expect(failure.details["path"]).toBe(member);
    expect(failure.cause).toBeInstanceOf(RangeError);
    expect(stored.size).toBe(0);
    await runs.recordResult("run", { values: { answer: 42 } });
    expect(await runs.getResult("run")).toEqual({ values: { answer: 42 } });
  },
  60_000,
);

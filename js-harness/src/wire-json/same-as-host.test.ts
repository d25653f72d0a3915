// Contract 2: a result reads back as the host's own JSON of the value, whatever the value is.

import { deepStrictEqual, equal, ok } from "node:assert/strict";

import * as langchain from "@langchain/core/messages";
import fc from "fast-check";
import {
  isSkeinResultsError,
  resultMethods,
  serializeWireJson,
  type RunResult,
} from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { describe, expect, it } from "vitest";

import { hostWireResult, hostWireText, outcomeOf } from "./host-serializer.js";
import { seeded } from "./seed.js";
import { liveResult, liveValue, messageClasses } from "./values/index.js";

/** A typed failure whose cause is what the host's serializer throws. */
function requireSameFailure(found: unknown, thrown: unknown): void {
  ok(isSkeinResultsError(found));
  equal(found.code, "not_serializable");
  equal(String(found.cause), String(thrown));
}

describe("a value on the wire", () => {
  it("has the text of the host's serializer, to the character", () => {
    fc.assert(
      fc.property(liveValue, ({ make }) => {
        const expected = outcomeOf(() => hostWireText(make()));
        const found = outcomeOf(() => serializeWireJson(make()));
        if ("made" in expected) {
          deepStrictEqual(found, expected);
          return;
        }
        ok("thrown" in found);
        requireSameFailure(found.thrown, expected.thrown);
      }),
      seeded("text on the wire", 6_000),
    );
  });

  it("is made of LangChain's messages of every class, in that", () => {
    const classes = Object.entries(langchain).filter(
      ([name, exported]) =>
        /^(?!Base).*Message(Chunk)?$/.test(name) &&
        typeof exported === "function" &&
        exported.prototype instanceof langchain.BaseMessage,
    );
    expect(classes.map(([name]) => name).filter((name) => !messageClasses.includes(name))).toEqual(
      [],
    );
  });
});

describe("a recorded result", () => {
  it("reads back as the host's JSON of it, to the bit, with its keys in order", async () => {
    const runs = new Map([["run", { status: "success" as const }]]);
    const driver = memoryDriver({ runs });
    const results = resultMethods(driver);
    await fc.assert(
      fc.asyncProperty(liveResult, async ({ make }) => {
        const expected = outcomeOf(() => hostWireResult(make() as object));
        driver.erase("run");
        const recorded = await results
          .recordResult("run", make() as RunResult)
          .catch((error: unknown) => error);

        const found = await results.getResult("run");
        if ("made" in expected) {
          equal(recorded, undefined);
          deepStrictEqual(found, expected.made);
          equal(JSON.stringify(found), JSON.stringify(expected.made));
        } else {
          requireSameFailure(recorded, expected.thrown);
          equal(found, null);
        }
      }),
      seeded("results in memory", 4_000),
    );
  });
});

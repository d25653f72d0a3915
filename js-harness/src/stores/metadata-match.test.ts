import { describe, expect, it } from "vitest";

import { containsJson } from "./metadata-match.js";

describe("matching metadata", () => {
  it.each([
    [{ a: 1, b: 2 }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 1 } } }, true],
    [{ a: [1, { b: 2, c: 3 }] }, { a: [{ b: 2 }] }, true],
    [{ a: [1, 2] }, { a: [2, 1, 1] }, true],
    [{ a: [1] }, { a: 1 }, false],
    [{ a: 1 }, { a: {} }, false],
    [{ a: {} }, { a: {} }, true],
    [{ a: [] }, { a: {} }, false],
    [{ a: null }, { a: null }, true],
    [{}, { a: null }, false],
    [{ a: "1" }, { a: 1 }, false],
    [{}, JSON.parse('{"__proto__":{}}'), false],
    [{}, { toString: null }, false],
    [{ a: 1 }, {}, true],
    [{ a: 1 }, undefined, true],
    [{ a: 1 }, null, true],
  ])("%j contains %j: %s", (subject, filter, expected) => {
    expect(containsJson(subject, filter)).toBe(expected);
  });
});

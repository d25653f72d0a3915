// The line that counts the tests reads what the runners print.

import assert from "node:assert/strict";
import { test } from "node:test";

import { countCargo, countNode, countVitest } from "../test-counts.mjs";

test("every result line of cargo test counts", () => {
  const output =
    "test result: ok. 12 passed; 0 failed; 0 ignored\n" +
    "test result: FAILED. 3 passed; 2 failed; 0 ignored\n";
  assert.deepEqual(countCargo(output), { passed: 15, failed: 2 });
});

test("vitest's failed tests count beside the passed", () => {
  const files = " Test Files  1 failed | 4 passed (5)\n";
  assert.deepEqual(countVitest(`${files}      Tests  2 failed | 30 passed (32)\n`), {
    passed: 30,
    failed: 2,
  });
  assert.deepEqual(countVitest("      Tests  30 passed (30)\n"), { passed: 30, failed: 0 });
});

test("node's closing lines count, and a test that prints like them does not", () => {
  const output = "    # pass 99\n# tests 6\n# suites 0\n# pass 5\n# fail 1\n# cancelled 0\n";
  assert.deepEqual(countNode(output), { passed: 5, failed: 1 });
});

test("a runner that ran nothing counts nothing", () => {
  for (const count of [countCargo, countVitest, countNode]) {
    assert.deepEqual(count("error: no tests found\n"), { passed: 0, failed: 0 });
  }
});

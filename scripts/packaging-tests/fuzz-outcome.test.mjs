// What `npm run fuzz` makes of what a target printed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { outcomeOf } from "../fuzz-outcome.mjs";

const LINE = 'fuzzed {"target":"a_mark","inputs":7,"seen":{"a mark":3}}';
const ran = (output) => ({ status: 0, stdout: `\nrunning 1 test\n${output}\n.\n`, stderr: "" });

test("a target counts its own inputs", () => {
  assert.deepEqual(outcomeOf(ran(LINE)), { inputs: 7, seen: { "a mark": 3 }, failure: null });
});

test("a target that had no input has failed, whatever its exit code", () => {
  for (const output of ["", LINE.replace("7", "0")]) {
    assert.equal(outcomeOf(ran(output)).failure.why, "it was given no input");
  }
});

test("a failure is told with the seed that has the same input again", () => {
  const stderr = "test failed\nBOLERO_RANDOM_SEED=123456\n";
  const { inputs, failure } = outcomeOf({ ...ran(LINE), status: 101, stderr });
  assert.equal(inputs, 7);
  assert.equal(failure.seed, "123456");
  assert.match(failure.output, /test failed/);
});

test("a target that hangs has failed", () => {
  const error = Object.assign(new Error("spawnSync"), { code: "ETIMEDOUT" });
  assert.equal(outcomeOf({ ...ran(LINE), status: null, error }).failure.why, "it did not end");
});

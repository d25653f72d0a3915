import { describe, expect, it } from "vitest";

import { worseThan } from "./comparison.js";
import { kitRun } from "./report.js";
import { testResults, type Outcome } from "./test-results.js";

const JUNIT = `<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" tests="5">
  <testcase classname="tests.sending" name="test_send[jsonrpc]" time="0.1" />
  <testcase classname="tests.sending" name="test_send[http_json]">
    <failure message="AssertionError: &quot;a&quot; &lt; b&#10;assert False">trace</failure>
  </testcase>
  <testcase classname="tests.cards" name="test_card"><error message="no card">trace</error></testcase>
  <testcase classname="tests.push" name="test_create">
    <skipped type="pytest.skip" message="Agent does not support push notifications">x</skipped>
  </testcase>
  <testcase classname="tests.cards" name="test_cache">
    <skipped type="pytest.xfail" message="no header">x</skipped>
  </testcase>
</testsuite></testsuites>`;

describe("the results of the kit", () => {
  it("are read by the name of the test, with the first line of what went wrong", () => {
    expect([...testResults(JUNIT)]).toEqual([
      ["tests.sending::test_send[jsonrpc]", { is: "passed" }],
      ["tests.sending::test_send[http_json]", { is: "failed", why: 'AssertionError: "a" < b' }],
      ["tests.cards::test_card", { is: "failed", why: "no card" }],
      [
        "tests.push::test_create",
        { is: "skipped", why: "Agent does not support push notifications" },
      ],
      ["tests.cards::test_cache", { is: "missed", why: "no header" }],
    ]);
  });

  it("count what is optional and missed as failed", () => {
    const place = { sut: "a", store: "b", transports: ["jsonrpc"] } as const;

    expect(kitRun(place, testResults(JUNIT))).toMatchObject({
      passed: 1,
      failed: 3,
      skipped: 1,
      failures: [{ test: "tests.sending::test_send[http_json]" }, {}, { why: "no header" }],
    });
  });

  it("are of at least one test", () => {
    const empty = '<testsuites><testsuite name="pytest" tests="0"></testsuite></testsuites>';

    expect(() => testResults(empty)).toThrow("ran no test");
  });
});

describe("an agent beside the measure", () => {
  const only = (outcome: Outcome) => new Map([["test", outcome]]);
  const passed = only({ is: "passed" });

  it.each([
    { is: "passed" },
    { is: "skipped", why: "Agent does not support push notifications" },
    { is: "skipped", why: "Agent card does not declare capabilities for: ['agent-card']" },
  ] as const)("is level where it has $is", (outcome) => {
    expect(worseThan(passed, only(outcome))).toEqual([]);
  });

  it.each([
    { is: "failed", why: "no" },
    { is: "missed", why: "no" },
    { is: "skipped", why: "send_message failed: Internal error" },
  ] as const)("is worse where it has $is ($why)", (outcome) => {
    expect(worseThan(passed, only(outcome))).toEqual([{ test: "test", ...outcome }]);
  });

  it("is worse where the kit did not run the test", () => {
    expect(worseThan(passed, new Map())).toMatchObject([{ test: "test", is: "not run" }]);
  });

  it.each([
    { is: "failed", why: "no" },
    { is: "skipped", why: "no" },
  ] as const)("is not worse where the measure has $is", (outcome) => {
    expect(worseThan(only(outcome), only({ is: "failed", why: "no" }))).toEqual([]);
  });
});

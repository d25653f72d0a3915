// Reads the closing lines of the test runners.

/** Every `test result:` line of cargo test and of wasm-bindgen's runner. */
export function countCargo(output) {
  return sum([...output.matchAll(/test result: \w+\. (\d+) passed; (\d+) failed/g)]);
}

/** The `Tests` line of vitest: the failed ones stand first, where there are any. */
export function countVitest(output) {
  const lines = [...output.matchAll(/^\s*Tests\s+(.*)$/gm)].map((match) => match[1]);
  return sum(
    lines.map((line) => [line, /(\d+) passed/.exec(line)?.[1], /(\d+) failed/.exec(line)?.[1]]),
  );
}

/** The closing lines of node's test runner in TAP. */
export function countNode(output) {
  return sum([["", /^# pass (\d+)$/m.exec(output)?.[1], /^# fail (\d+)$/m.exec(output)?.[1]]]);
}

function sum(matches) {
  const counted = { passed: 0, failed: 0 };
  for (const [, passed, failed] of matches) {
    counted.passed += Number(passed ?? 0);
    counted.failed += Number(failed ?? 0);
  }
  return counted;
}

// The kit's results, test by test, from the JUnit file that it writes.

import { XMLParser } from "fast-xml-parser";

/** How a test came out. `missed` is a test of something optional that the agent does not do as described. */
export type Outcome =
  | { is: "passed" }
  | { is: "failed"; why: string }
  | { is: "missed"; why: string }
  | { is: "skipped"; why: string };

/** The outcomes by the name of the test. */
export type TestResults = ReadonlyMap<string, Outcome>;

interface Note {
  "@message"?: string;
  "@type"?: string;
}

interface TestCase {
  "@classname": string;
  "@name": string;
  failure?: Note;
  error?: Note;
  skipped?: Note;
}

interface Report {
  testsuites: { testsuite: { testcase: TestCase[] } };
}

/** @throws for a report that tells of no test */
export function testResults(junit: string): TestResults {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    isArray: (name) => name === "testcase",
  });
  const report = parser.parse(junit) as Partial<Report>;
  const cases = report.testsuites?.testsuite.testcase ?? [];
  if (cases.length === 0) throw new Error("The kit ran no test.");
  return new Map(cases.map((test) => [`${test["@classname"]}::${test["@name"]}`, outcomeOf(test)]));
}

function outcomeOf({ failure, error, skipped }: TestCase): Outcome {
  const failed = failure ?? error;
  if (failed) return { is: "failed", why: firstLine(failed) };
  if (!skipped) return { is: "passed" };
  // pytest writes an expected failure as a skipped test of another type.
  return {
    is: skipped["@type"] === "pytest.xfail" ? "missed" : "skipped",
    why: firstLine(skipped),
  };
}

/** The parser leaves line ends, which an attribute cannot hold, as they are written. */
function firstLine(note: Note): string {
  return (note["@message"] ?? "").split("&#10;", 1)[0] ?? "";
}

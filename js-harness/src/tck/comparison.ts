// Level or better: what the SDK's own handler passes has to be passed, or its capability is off.

import type { Outcome, TestResults } from "./test-results.js";

/** A test in which an agent does worse than the measure. */
export interface Worse {
  test: string;
  is: Exclude<Outcome["is"], "passed"> | "not run";
  why: string;
}

/** How the kit says that it left a test out for what the agent's card does not declare. */
const CAPABILITY_IS_OFF = /^Agent (card does not declare|does not support) /;

/** The tests that the measure passes and the agent does not. */
export function worseThan(measure: TestResults, agent: TestResults): Worse[] {
  const passed = [...measure].filter(([, outcome]) => outcome.is === "passed");
  return passed.flatMap(([test]): Worse[] => {
    const outcome = agent.get(test);
    if (!outcome) return [{ test, is: "not run", why: "The kit did not run it." }];
    return outcome.is === "passed" || isOff(outcome) ? [] : [{ test, ...outcome }];
  });
}

function isOff(outcome: Outcome): boolean {
  return outcome.is === "skipped" && CAPABILITY_IS_OFF.test(outcome.why);
}

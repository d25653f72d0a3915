// What a target of `npm run fuzz` came to, by what it printed.

/**
 * How many inputs the target had, what it met, and its failure or null. A target counts its inputs
 * itself, and one that had none has shown nothing.
 */
export function outcomeOf({ status, error, stdout, stderr }) {
  const told = /^fuzzed (\{.*\})$/m.exec(stdout);
  const { inputs, seen } = told ? JSON.parse(told[1]) : { inputs: 0, seen: {} };
  const why = whyFailed(status, error, inputs);
  if (why === null) return { inputs, seen, failure: null };
  const output = `${stdout}\n${stderr}`.trim();
  const seed = /BOLERO_RANDOM_SEED=(\d+)/.exec(output)?.[1] ?? null;
  return { inputs, seen, failure: { why, seed, output } };
}

function whyFailed(status, error, inputs) {
  if (error?.code === "ETIMEDOUT") return "it did not end";
  if (status !== 0) return "see what it printed";
  return inputs === 0 ? "it was given no input" : null;
}

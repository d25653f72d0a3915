// What the host's drivers answer with.

/** Whether an answer is to be awaited, as the language asks it. */
export function isThenable(answer) {
  const isObject = typeof answer === "object" ? answer !== null : typeof answer === "function";
  return isObject && typeof answer.then === "function";
}

/**
 * A promise of the engine's own that follows the answer: nothing that the host has put on its promise is
 * called from within WebAssembly.
 */
export function awaited(answer) {
  return new Promise((resolve) => resolve(answer));
}

// What the host's drivers answer with.

/**
 * What stands for a promise of the host's in WebAssembly. It calls back nobody by itself: the facade waits
 * for it, and takes what it settles to into the instance as it enters every call, if it is still the one
 * that has asked.
 */
class AwaitedAnswer {
  constructor(answer) {
    // A promise of the engine's own: nothing that the host has put on its promise is called from here.
    this.promise = new Promise((resolve) => resolve(answer));
    // Who enters the instance is told the failure; where that traps, nobody waits for this.
    this.promise.catch(() => {});
  }

  then(resolved, rejected) {
    this.resolved = resolved;
    this.rejected = rejected;
  }
}

/** What is to be awaited, as the language asks it; undefined for an answer that is there. */
export function awaited(answer) {
  const isObject = typeof answer === "object" ? answer !== null : typeof answer === "function";
  return isObject && typeof answer.then === "function" ? new AwaitedAnswer(answer) : undefined;
}

/**
 * Calls the host, for an instance that may trap before it waits for the answer: a promise that nobody looks
 * at any more must not end the process when it rejects. The failure is told by the trap. What the host
 * throws is noted, so that it is not taken for a trap itself.
 */
export function handled<T>(call: () => T): T {
  let answer: T;
  try {
    answer = call();
  } catch (thrown) {
    noteThrownByHost(thrown);
    throw thrown;
  }
  // Without what the host may have put on its promise.
  if (answer instanceof Promise) {
    void Promise.prototype.then.call(answer, undefined, noteThrownByHost);
  }
  return answer;
}

const thrownByHost = new WeakSet();

/** Notes what has come from the host's code, by whatever way. */
export function noteThrownByHost(thrown: unknown): void {
  if (typeof thrown === "object" && thrown !== null) thrownByHost.add(thrown);
}

/** Whether an error came from the host's code, and went through the rules as a value. */
export function isThrownByHost(thrown: object): boolean {
  return thrownByHost.has(thrown);
}

/**
 * Hands on what the host's code answers, for an instance that may trap before it waits for it: a promise
 * that nobody looks at any more must not end the process when it rejects. The failure is told by the trap.
 */
export function handled<T>(answer: T): T {
  // Without what the host may have put on its promise.
  if (answer instanceof Promise) void Promise.prototype.then.call(answer, undefined, ignore);
  return answer;
}

const ignore = (): void => undefined;

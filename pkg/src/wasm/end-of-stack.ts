/** Whether something was thrown because the stack has come to its end, as the engines say it. */
export function isEndOfStack(thrown: unknown): boolean {
  return thrown instanceof Error && /call stack size|too much recursion/i.test(thrown.message);
}

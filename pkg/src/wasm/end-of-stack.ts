/**
 * Whether something was thrown because the stack has come to its end, as the engines say it. Asked where
 * there may be none left: a regular expression would have to be compiled there, and V8 could not.
 */
export function isEndOfStack(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { message }: { message: unknown } = thrown;
  return (
    typeof message === "string" &&
    (message.includes("call stack size") || message.includes("too much recursion"))
  );
}

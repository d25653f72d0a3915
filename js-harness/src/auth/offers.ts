/**
 * Whether a store made by somebody else has an optional method. It may lack it, have it undefined,
 * inherit it from a class, or throw when it is read.
 */
export function offers<T extends object, Name extends keyof T>(
  target: T,
  name: Name,
): target is T & { [N in Name]-?: NonNullable<T[N]> } {
  try {
    return typeof target[name] === "function";
  } catch {
    return false;
  }
}

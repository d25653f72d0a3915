/** The names of `names` that are callable on `target`: inherited methods count, and so do proxies. */
export function callableOf<Name extends string>(target: unknown, names: readonly Name[]): Name[] {
  return names.filter((name) => isCallable(target, name));
}

/** False where reading the member throws: what cannot be read cannot be called. */
function isCallable(target: unknown, name: string): boolean {
  if ((typeof target !== "object" && typeof target !== "function") || target === null) return false;
  try {
    return typeof Reflect.get(target, name) === "function";
  } catch {
    return false;
  }
}

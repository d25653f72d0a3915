/**
 * True for two values that are the same plain JSON: own keys in any order, arrays without holes, leaves
 * by `Object.is`, and nothing but plain objects.
 */
export function sameJson(found: unknown, expected: unknown): boolean {
  if (!isContainer(found) || !isContainer(expected)) return Object.is(found, expected);
  if (Array.isArray(found) || Array.isArray(expected)) {
    return Array.isArray(found) && Array.isArray(expected) && sameItems(found, expected);
  }
  const keys = Object.keys(expected);
  return (
    isPlain(found) &&
    Object.keys(found).length === keys.length &&
    keys.every(
      (key) => Object.hasOwn(found, key) && sameJson(member(found, key), member(expected, key)),
    )
  );
}

function sameItems(found: readonly unknown[], expected: readonly unknown[]): boolean {
  if (found.length !== expected.length) return false;
  for (let index = 0; index < expected.length; index += 1) {
    if (!(index in found) || !sameJson(found[index], expected[index])) return false;
  }
  return true;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An own member: `__proto__` is a key like any other. */
function member(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value as unknown;
}

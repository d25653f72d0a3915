// What host code may hand over that cannot be looked at.

/** What a getter, a trap or a callback throws. */
export const boom = (): never => {
  throw new Error("boom");
};

export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** A list in a list, so many levels deep. */
export function nested(levels: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

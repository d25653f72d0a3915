// Who calls. A bearer token stands for a user of a tenant, and for what it may do.

/** To whom threads and runs belong. */
export interface Owner {
  readonly tenant: string;
  readonly user: string;
}

/** Somebody who was recognised. */
export interface Caller extends Owner {
  /** `read` changes nothing, not even what is its own. */
  readonly access: "read" | "write";
}

/** Recognises a caller by the token; null for nobody. The same token gives the same object. */
export type Authenticate = (token: string | undefined) => Caller | null;

/**
 * Recognises callers by a fixed list of tokens.
 *
 * @example
 * ```ts
 * const authenticate = bearerTokens({
 *   "token-of-ann": { tenant: "acme", user: "ann", access: "write" },
 *   "token-of-anns-dashboard": { tenant: "acme", user: "ann", access: "read" },
 * });
 * ```
 */
export function bearerTokens(callers: Readonly<Record<string, Caller>>): Authenticate {
  const byToken = new Map(Object.entries(callers));
  return (token) => (token === undefined ? null : (byToken.get(token) ?? null));
}

/** The token of an `Authorization` header, or undefined where there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

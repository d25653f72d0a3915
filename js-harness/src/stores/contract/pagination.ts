/** Which part of an ordered list to read. */
export interface Pagination {
  limit?: number;
  offset?: number;
}

/** Rows that a read without a limit returns, where its contract does not say "all". */
export const DEFAULT_MAX_PAGE_SIZE = 1000;

/** What every store can be opened with. */
export interface StoreOptions {
  /** @defaultValue {@link DEFAULT_MAX_PAGE_SIZE} */
  maxPageSize?: number;
}

/**
 * Answers a usable `maxPageSize` or throws. A page of zero rows would make every list look empty
 * without any error.
 */
export function requireValidMaxPageSize(value: number | undefined): number {
  if (value === undefined) return DEFAULT_MAX_PAGE_SIZE;
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new RangeError(`maxPageSize must be a positive integer, and is ${String(value)}.`);
  }
  return value;
}

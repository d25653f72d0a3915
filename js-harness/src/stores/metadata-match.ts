/**
 * Whether `subject` contains `filter` as Postgres' `jsonb @>` means it: an object contains a subset
 * of its members, an array contains arrays as sets, all else must be equal. No filter matches all.
 */
export function containsJson(subject: unknown, filter: unknown): boolean {
  if (filter === undefined || filter === null) return true;
  return contains(subject, filter);
}

function contains(subject: unknown, filter: unknown): boolean {
  if (typeof filter !== "object" || filter === null) return subject === filter;
  if (typeof subject !== "object" || subject === null) return false;
  if (Array.isArray(filter)) {
    return (
      Array.isArray(subject) &&
      filter.every((wanted) => subject.some((element) => contains(element, wanted)))
    );
  }
  return (
    !Array.isArray(subject) &&
    Object.entries(filter).every(
      ([key, wanted]) => Object.hasOwn(subject, key) && contains(Reflect.get(subject, key), wanted),
    )
  );
}

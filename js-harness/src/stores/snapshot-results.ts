import { resultMethods, type ResultEntry, type SnapshotResults } from "skein-results";

/** Stored results as entries of a snapshot; they were read together with the rows of their runs. */
export function snapshotResults(stored: readonly ResultEntry[]): Promise<SnapshotResults> {
  const texts = new Map(stored);
  const methods = resultMethods({
    record: () => undefined,
    read: (runId) => texts.get(runId),
    readMany: (runIds) =>
      runIds.flatMap((runId): ResultEntry[] => {
        const found = texts.get(runId);
        return found ? [[runId, found]] : [];
      }),
  });
  return methods.exportResults([...texts.keys()]);
}

/**
 * What a driver in this process answers. It answers at once, and has to: a step that must not be
 * interrupted cannot wait.
 */
export function atOnce<T>(answer: T | PromiseLike<T>): T {
  if (typeof answer === "object" && answer !== null && "then" in answer) {
    throw new TypeError("The driver does not answer at once.");
  }
  return answer;
}

// Where a process may be killed: at a statement, by its text, and not by how many there were before it.
// Those that run beside it come in another order each time.

/** The n-th time that a process comes to a step, counted from 1. */
export interface Place {
  step: string;
  occurrence: number;
}

export const sentenceOf = ({ step, occurrence }: Place): string => `${step} (${occurrence})`;

/**
 * The places that differ: before anything, after each statement that writes or ends a transaction, and,
 * where there is a server, what such a statement leaves if nobody hears of it. What is only read leaves
 * nothing.
 */
export function placesIn(steps: readonly string[]): Place[] {
  const isWrite = /^(after|sent) (?!SELECT|BEGIN|SET|PRAGMA)/i;
  return steps.flatMap((step, index) => {
    if (index > 0 && !isWrite.test(step)) return [];
    const occurrence = steps.slice(0, index + 1).filter((earlier) => earlier === step).length;
    return [{ step, occurrence }];
  });
}

/** At most so many of the places, spread over them. */
export function spread(places: readonly Place[], most = places.length): Place[] {
  const stride = Math.max(places.length / most, 1);
  const picked = new Set<Place>();
  for (let at = 0; at < places.length; at += stride) {
    const place = places[Math.floor(at)];
    if (place) picked.add(place);
  }
  return [...picked];
}

/** The steps of the contract, and the kills that are in the middle of each. */
const NAMED_STEPS: Readonly<Record<string, RegExp>> = {
  admission: /: run, \w+ INSERT INTO runs/,
  "admission of an answer": /: answer, \w+ INSERT INTO runs/,
  capture: /: run in two steps, \w+ UPDATE "runs" SET "result_values"/,
  "status after a capture": /: run in two steps, \w+ UPDATE runs SET status/,
  settle: /: run, \w+ UPDATE "runs" SET "status" = (\$2|:status)/,
  "settle of a failed capture": /: run whose capture fails, \w+ UPDATE "runs" SET "status" = /,
  cancel: /: cancel, \w+ UPDATE "runs" SET "status" = 'cancelled'/,
  "copy of the rows": /: copy, \w+ INSERT INTO runs/,
  "copy of the results": /: copy, \w+ (UPDATE "runs" SET \("result_values"|WITH locked)/,
  "copy of the checkpoints": /: copy, \w+ (INSERT INTO checkpoints|WITH checkpoints)/,
  "end of a copy": /: copy, \w+ COMMIT/,
  "import of the rows": /: import, \w+ INSERT INTO runs/,
  "import of the results": /: import, \w+ (UPDATE "runs" SET "result_values"|WITH locked)/,
  "end of an import": /: import, \w+ COMMIT/,
  "erasure of a run": /: erasure of a run, \w+ DELETE FROM runs/,
  "erasure of a thread": /: erasure of a thread, \w+ DELETE FROM threads/,
  "erasure by rollback": /: displacement by rollback, \w+ DELETE FROM runs/,
  migration: /: migration of a database without results, \w+ -- -- The result of a run/,
  "first migration": /: migration of nothing, \w+ -- -- The host's own tables/,
};

/** How many kills were in the middle of each step of the contract, on each store. */
export function killsByStep(
  points: readonly string[],
  kinds: readonly string[],
): Record<string, number> {
  const counts = kinds.flatMap((kind) =>
    Object.entries(NAMED_STEPS).map(([name, pattern]): [string, number] => [
      `${kind}: ${name}`,
      points.filter((point) => point.startsWith(kind) && pattern.test(point)).length,
    ]),
  );
  return Object.fromEntries(counts);
}

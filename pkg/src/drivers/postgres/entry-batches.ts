import type { ResultEntry, ResultTexts } from "../../wasm/shapes.js";

/**
 * How many characters of results one statement takes in lists. A list of texts is written to the server as
 * one text with escapes in it: that costs time, and JavaScript has no text of more than half a gigabyte.
 */
const BATCH_LENGTH = 4_000_000;

/** Entries that one statement takes, or one entry that is too large for a list. */
export type EntryBatch =
  { kind: "many"; entries: readonly ResultEntry[] } | { kind: "one"; entry: ResultEntry };

/** The entries in their order, in as few statements as can take them. */
export function entryBatches(entries: readonly ResultEntry[]): EntryBatch[] {
  const batches: EntryBatch[] = [];
  let many: ResultEntry[] = [];
  let length = 0;
  const close = () => {
    if (many.length > 0) batches.push({ kind: "many", entries: many });
    many = [];
    length = 0;
  };
  for (const entry of entries) {
    const own = lengthOf(entry[1]);
    if (length + own > BATCH_LENGTH) close();
    if (own > BATCH_LENGTH) {
      batches.push({ kind: "one", entry });
    } else {
      many.push(entry);
      length += own;
    }
  }
  close();
  return batches;
}

function lengthOf({ values, interrupts, reply, checkpoint }: ResultTexts): number {
  return [values, interrupts, reply, checkpoint].reduce(
    (length, text) => length + (text?.length ?? 0),
    0,
  );
}

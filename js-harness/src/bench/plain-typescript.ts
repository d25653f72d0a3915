// What the package replaces, as a host would write it in TypeScript: the other side of the benches.

import type { ResultEntry, ResultTexts, RunResult, SnapshotResults } from "skein-results";

/** The host's own serializer for the wire. */
export function plainWireJson(value: unknown): string {
  return JSON.stringify(
    value,
    function (this: Record<string, unknown>, key: string, serialized: unknown) {
      const raw = this[key] as { toDict?: unknown } | null | undefined;
      if (raw !== null && typeof raw === "object" && typeof raw.toDict === "function") {
        const { type, data } = (raw.toDict as () => { type: string; data: object })();
        return { ...data, type };
      }
      return serialized;
    },
  );
}

function plainTexts({ values, interrupts, reply, checkpoint }: RunResult): ResultTexts {
  return {
    values: plainWireJson(values),
    interrupts: interrupts === undefined ? null : plainWireJson(interrupts),
    reply: reply === undefined ? null : plainWireJson(reply),
    checkpoint: checkpoint === undefined ? null : plainWireJson(checkpoint),
  };
}

/** The merge of a snapshot's entries: the first one of each run that is known. */
export function plainMerge(
  results: SnapshotResults,
  knows: (runId: string) => boolean,
): ResultEntry[] {
  const seen = new Set<string>();
  const attached: ResultEntry[] = [];
  for (const [id, result] of results) {
    if (typeof id !== "string" || typeof result !== "object" || !("values" in result)) {
      throw new Error(`An entry is malformed.`);
    }
    const texts = plainTexts(result);
    if (!knows(id) || seen.has(id)) continue;
    seen.add(id);
    attached.push([id, texts]);
  }
  return attached;
}

/** The export of stored texts as entries of a snapshot. */
export function plainExport(stored: ReadonlyMap<string, ResultTexts>): SnapshotResults {
  return [...stored].map(([id, { values, interrupts, reply, checkpoint }]) => [
    id,
    {
      values: JSON.parse(values) as RunResult["values"],
      ...(interrupts === null
        ? {}
        : { interrupts: JSON.parse(interrupts) as NonNullable<RunResult["interrupts"]> }),
      ...(reply === null ? {} : { reply: JSON.parse(reply) as unknown }),
      ...(checkpoint === null
        ? {}
        : { checkpoint: JSON.parse(checkpoint) as NonNullable<RunResult["checkpoint"]> }),
    },
  ]);
}

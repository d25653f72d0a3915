// The suite catches what it is for: one fault after the other, in a store that keeps every other rule.

import { conformanceCases } from "skein-results/conformance";
import { describe, expect, it } from "vitest";

import { brokenAdmissions } from "./broken/admissions.js";
import { brokenCancellations } from "./broken/cancellations.js";
import { brokenCopies } from "./broken/copies.js";
import { brokenCopiesInTime } from "./broken/copies-in-time.js";
import { brokenErasures } from "./broken/erasures.js";
import { brokenFailures } from "./broken/failures.js";
import { brokenFirstWrites } from "./broken/first-writes.js";
import { brokenImports } from "./broken/imports.js";
import { brokenLasting } from "./broken/lasting.js";
import { brokenOffers } from "./broken/offers.js";
import { brokenPauses } from "./broken/pauses.js";
import { brokenRows } from "./broken/rows.js";
import { brokenSerializers } from "./broken/serializers.js";
import { brokenSettles } from "./broken/settles.js";
import { brokenStarts } from "./broken/starts.js";
import { brokenTaskLists } from "./broken/task-lists.js";
import { brokenTasks } from "./broken/tasks.js";
import { brokenTexts } from "./broken/texts.js";
import { brokenUnknownRuns } from "./broken/unknown-runs.js";
import type { BrokenStore, BrokenStores } from "./testing/broken-store.js";
import { sentenceOf } from "./testing/sentence-of.js";
import { openPlainStore } from "./testing/plain-store.js";

const FAULTS: BrokenStores = {
  ...brokenOffers,
  ...brokenFirstWrites,
  ...brokenUnknownRuns,
  ...brokenCopiesInTime,
  ...brokenTexts,
  ...brokenSerializers,
  ...brokenFailures,
  ...brokenSettles,
  ...brokenStarts,
  ...brokenCancellations,
  ...brokenErasures,
  ...brokenImports,
  ...brokenCopies,
  ...brokenTasks,
  ...brokenTaskLists,
  ...brokenPauses,
  ...brokenAdmissions,
  ...brokenRows,
  ...brokenLasting,
};

const namesIn = ({ caughtBy }: BrokenStore): readonly string[] =>
  typeof caughtBy === "string" ? [caughtBy] : caughtBy;

describe("a store that", () => {
  for (const [fault, store] of Object.entries(FAULTS)) {
    it.each(namesIn(store))(`${fault} is caught, since %s`, async (name) => {
      const sentence = await sentenceOf(name, () => openPlainStore(store));

      expect(sentence).toMatch(/^[A-Z].*\.$/s);
    });
  }
});

describe("the suite", () => {
  const cases = conformanceCases(() => openPlainStore());

  it("catches nothing in the store that the faults are put into", async () => {
    for (const { run } of cases) expect(await run()).toEqual({ lacks: null });
  });

  it("has a name of its own for each case", () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  it("has no case that nothing fails", () => {
    const failing = new Set(Object.values(FAULTS).flatMap(namesIn));
    expect(cases.map(({ name }) => name).filter((name) => !failing.has(name))).toEqual([]);
  });
});

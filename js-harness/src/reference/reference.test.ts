// The real drivers mean by their primitives what the reference store in Rust means: the same random
// programs, the same answers, the same rows.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { storeKinds, type StorePlace } from "../stores/testing/store-places.js";

import { ProgramRun } from "./carry-out.js";
import { programs, type Program } from "./programs.js";

const SEED = 1;
const PROGRAMS = 150;
const STEPS = 40;

/** The programs are written by a Rust program, which may have to be built. */
const LONG_MS = 600_000;

let written: Program[];
beforeAll(async () => {
  written = await programs(SEED, PROGRAMS, STEPS);
}, LONG_MS);

describe.each(storeKinds)("the driver of $name", (kind) => {
  let place: StorePlace;
  beforeAll(async () => {
    place = await kind.open();
  });
  afterAll(() => place.close());

  it(
    "answers random programs as the reference store does",
    async () => {
      for (const program of written) {
        const { answers, rows } = await new ProgramRun(place.store).carryOut(program);
        const said = program.steps.map((step, index) => ({ ...step, answer: answers[index] }));
        expect(said, `program ${program.seed}`).toEqual(program.steps);
        expect(rows, `the rows of program ${program.seed}`).toEqual(program.rows);
      }
    },
    LONG_MS,
  );
});

it("are programs in which every primitive answers in every way", () => {
  const answers = new Map<string, Set<string>>();
  for (const { op, answer } of written.flatMap(({ steps }) => steps)) {
    const known = answers.get(op) ?? new Set();
    known.add(
      typeof answer === "object" && answer && "won" in answer
        ? String(answer.won)
        : String(answer !== null && answer !== false),
    );
    answers.set(op, known);
  }
  for (const op of ["start", "settle", "cancel", "cancelPaused"]) {
    expect([...(answers.get(op) ?? [])].sort(), op).toEqual(["false", "true"]);
  }
  for (const op of ["admitResume", "task", "read"]) expect(answers.get(op)?.size, op).toBe(2);
});

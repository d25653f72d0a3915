// How much memory it takes to record a result of 50 MB, above the result itself.

import { resultMethods } from "skein-results";
import { memoryDriver } from "skein-results/memory";

import { quantile, rounded, type BenchRow } from "./compare.js";
import { highWaterMark, measuredIn, megabytes } from "./high-water.js";

const BYTES = 50_000_000;
const GOAL = 2.5;
const REPEATS = 3;

interface Measured {
  textBytes: number;
  aboveBytes: number;
}

/** One-byte and two-byte text: the engine keeps a text with one character above U+00FF in two bytes each. */
const ALPHABETS = { "one-byte": "abcdefgh", "two-byte": "абвгдежз" } as const;
type Alphabet = keyof typeof ALPHABETS;

/** The worse of the two kinds of text: peak resident memory above the result, over its text in UTF-8. */
export async function recordMemoryBench(program: string): Promise<BenchRow> {
  const details: string[] = [];
  const ratios: number[][] = [];
  for (const alphabet of Object.keys(ALPHABETS) as Alphabet[]) {
    const measured: Measured[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      measured.push(await measuredIn<Measured>(program, `record ${alphabet}`));
    }
    const above = quantile(
      measured.map(({ aboveBytes }) => aboveBytes),
      0.5,
    );
    const textBytes = measured[0]?.textBytes ?? Number.NaN;
    ratios.push(measured.map(({ aboveBytes }) => aboveBytes / textBytes));
    details.push(`${alphabet} ${megabytes(above)} above, its text ${megabytes(textBytes)}`);
  }
  const [worst = []] = ratios.sort((left, right) => quantile(right, 0.5) - quantile(left, 0.5));
  return {
    name: "memory-50m",
    ratio: rounded(quantile(worst, 0.5)),
    goal: GOAL,
    spread: [rounded(quantile(worst, 0)), rounded(quantile(worst, 1))],
    detail: `${details.join("; ")}, the worse one, median of ${REPEATS} processes each`,
  };
}

/** Measures in the process made for it. */
export async function measureRecord(work: string): Promise<Measured> {
  const alphabet = ALPHABETS[work.replace("record ", "") as Alphabet];
  const runs = new Map([["run", { status: "success" as const }]]);
  const methods = resultMethods(memoryDriver({ runs }));
  const values = valuesOf(alphabet);
  const before = highWaterMark();
  await methods.recordResult("run", { values });
  const aboveBytes = highWaterMark() - before;
  const [[, stored] = []] = await methods.exportResults(["run"]);
  if (!stored) throw new Error("The result was not recorded.");
  return { textBytes: Buffer.byteLength(JSON.stringify(values)), aboveBytes };
}

/**
 * Many texts of a kilobyte of UTF-8 each, no two alike, so that the engine shares none, and whole, as those
 * that came over a wire are: the engine joins what is in pieces when it first reads it.
 */
function valuesOf(alphabet: string): Record<string, unknown> {
  const line = alphabet.repeat(128 / (Buffer.byteLength(alphabet) / alphabet.length));
  const count = Math.floor(BYTES / Buffer.byteLength(`"${line}0000000",`));
  return { messages: Array.from({ length: count }, (_, index) => whole(`${line}${1e6 + index}`)) };
}

const whole = (text: string): string => Buffer.from(text).toString();

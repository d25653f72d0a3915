// Side-by-side measurement: two ways of doing the same work, in one run, turn by turn.

/** One line of the report. `ratio` is ours over theirs; below the goal is good. */
export interface BenchRow {
  name: string;
  ratio: number;
  goal: number;
  /** The middle half of the ratios: from the first to the third quartile. */
  spread: [number, number];
  /** Where the median of the ratios is, with 95 % confidence. */
  interval?: [number, number];
  /** The goal is met when the interval ends here or below. @defaultValue the ratio is compared with the goal */
  limit?: number;
  detail: string;
}

/** Whether a row reaches its goal. */
export function isMet({ ratio, goal, interval, limit }: BenchRow): boolean {
  return interval && limit !== undefined ? interval[1] <= limit : ratio <= goal;
}

/** Two ways of doing the same work. Either may answer with a promise. */
export interface Comparison {
  name: string;
  goal: number;
  limit?: number;
  ours: () => unknown;
  theirs: () => unknown;
  /** What was done, and how much of it. */
  what: string;
  rounds?: number;
  /** How often the work is done in one measurement, for work that takes microseconds. */
  repeats?: number;
}

const WARM_UP_ROUNDS = 3;

/**
 * Measures both ways in alternating order, so that a slow moment of the machine meets both, and
 * answers the median of the ratios of each round. No collection is forced: garbage is part of the cost.
 */
export async function compare(comparison: Comparison): Promise<BenchRow> {
  const { name, goal, ours, theirs, what, rounds = 25, repeats = 1, limit } = comparison;
  const ratios: number[] = [];
  const times: [number, number][] = [];
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    const oursFirst = round % 2 === 0;
    const first = await millisecondsOf(oursFirst ? ours : theirs, repeats);
    const second = await millisecondsOf(oursFirst ? theirs : ours, repeats);
    const [mine, other] = oursFirst ? [first, second] : [second, first];
    if (round < 0) continue;
    ratios.push(mine / other);
    times.push([mine / repeats, other / repeats]);
  }
  const mine = quantile(
    times.map(([time]) => time),
    0.5,
  );
  const other = quantile(
    times.map(([, time]) => time),
    0.5,
  );
  return {
    name,
    ratio: rounded(quantile(ratios, 0.5)),
    goal,
    spread: [rounded(quantile(ratios, 0.25)), rounded(quantile(ratios, 0.75))],
    interval: medianInterval(ratios),
    ...(limit === undefined ? {} : { limit }),
    detail: `${what}: ${shown(mine)} against ${shown(other)}, median of ${rounds} rounds`,
  };
}

async function millisecondsOf(work: () => unknown, repeats: number): Promise<number> {
  const started = performance.now();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const answer = work();
    // Work that is done when it returns is not made to wait for a promise.
    if (answer instanceof Promise) await answer;
  }
  return performance.now() - started;
}

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** The 95 % interval of the median, by the ranks that it lies between whatever the distribution is. */
export function medianInterval(values: readonly number[]): [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const reach = (1.96 * Math.sqrt(sorted.length)) / 2;
  const low = sorted[Math.max(0, Math.floor(sorted.length / 2 - reach) - 1)] ?? Number.NaN;
  const high = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length / 2 + reach))] ?? low;
  return [rounded(low), rounded(high)];
}

export function rounded(value: number): number {
  return Number(value.toFixed(3));
}

function shown(milliseconds: number): string {
  return milliseconds < 1
    ? `${(milliseconds * 1000).toFixed(2)} µs`
    : `${milliseconds.toFixed(2)} ms`;
}

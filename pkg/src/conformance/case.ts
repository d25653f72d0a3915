import type { OpenStore } from "./store-under-test.js";
import { Lacks, Trial, type Pass } from "./trial.js";
import { ContractViolation } from "./violation.js";

/** What a case came to on a store that keeps its rule. */
export interface CaseOutcome {
  /** What the store does not have and the case is about; null for a rule that was tried. */
  readonly lacks: string | null;
}

/** One rule of the contract. */
export interface ConformanceCase {
  /** The rule as a sentence, unlike that of any other case. */
  readonly name: string;
  /**
   * Tries the rule on a store of its own, which is opened and closed in here. Where the store can be
   * reopened the rule is tried twice: as the store is, and closed and opened after each step.
   *
   * @throws {@link ContractViolation} whose message is a sentence about the rule that is not kept
   */
  readonly run: () => Promise<CaseOutcome>;
}

/** Rules by their names. */
export type CaseList = Readonly<Record<string, (trial: Trial) => Promise<void>>>;

/** The rules of a list, for stores that are opened this way. */
export function casesOf(list: CaseList, open: OpenStore): ConformanceCase[] {
  return Object.entries(list).map(([name, body]) => ({ name, run: () => run(body, open) }));
}

async function run(body: (trial: Trial) => Promise<void>, open: OpenStore): Promise<CaseOutcome> {
  const first = await pass(body, open, "go on");
  if (first.lacks !== null || first.steps === 0 || !first.canReopen) return { lacks: first.lacks };
  try {
    const { lacks } = await pass(body, open, "reopen");
    return { lacks };
  } catch (cause) {
    throw new ContractViolation(`Closed and opened again after each step: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

interface PassOutcome extends CaseOutcome {
  readonly steps: number;
  readonly canReopen: boolean;
}

async function pass(
  body: (trial: Trial) => Promise<void>,
  open: OpenStore,
  kind: Pass,
): Promise<PassOutcome> {
  const trial = new Trial(await open(), kind);
  let lacks: string | null = null;
  try {
    await body(trial);
  } catch (error) {
    if (!(error instanceof Lacks)) {
      // The rule that is not kept counts, not what the store says to being closed after it.
      await trial.close().catch(() => undefined);
      throw error instanceof ContractViolation ? error : failed(error);
    }
    lacks = error.what;
  }
  const { steps, canReopen } = trial;
  await trial.close();
  return { lacks, steps, canReopen };
}

/** What a store threw where the rule needs it to answer. */
function failed(cause: unknown): ContractViolation {
  return new ContractViolation(`The store fails where it must not: ${reasonOf(cause)}.`, { cause });
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}

import { aMoment, type Trial } from "./trial.js";
import { demand } from "./violation.js";

/**
 * Reads the results of these runs again and again while the work goes on, which must show all of them
 * at one moment.
 *
 * A store may read them one after the other. So it is no fault to find the last ones and not the
 * first, and it is one to find the first and not the last.
 */
export async function demandSeenAtOnce(
  trial: Trial,
  runIds: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const going = { on: true };
  const done = work().finally(() => {
    going.on = false;
  });
  try {
    while (going.on) {
      const seen = new Set((await trial.exported(runIds)).map(([runId]) => runId));
      const first = runIds.findIndex((runId) => seen.has(runId));
      demand(
        first < 0 || runIds.slice(first).every((runId) => seen.has(runId)),
        `Of ${runIds.length} results that are written in one step ${seen.size} can be seen alone.`,
      );
      // A store that answers at once would keep the work from going on.
      await aMoment();
    }
  } finally {
    await done;
  }
}

// Faults of hosts that show a client what is not for it.

import { RUN_MARK_KEY } from "skein-results";

import type { BrokenStore, BrokenStores } from "../testing/broken-store.js";
import type { PlainRow } from "../testing/plain-driver.js";

/** A host that shows more of a row. */
const showing = (
  caughtBy: BrokenStore["caughtBy"],
  more: (row: PlainRow) => object,
): BrokenStore => ({
  host: (own) => ({ shown: (runId, row) => ({ ...own.shown(runId, row), ...more(row) }) }),
  caughtBy,
});

export const brokenRows: BrokenStores = {
  "shows the whole row": showing(
    "what a client reads of a run holds nothing of its recorded result",
    (row) => row,
  ),
  "shows the result as the run's output": showing(
    "what a client reads of a run holds nothing of its recorded result",
    ({ texts }) => ({ output: texts && (JSON.parse(texts.values) as unknown) }),
  ),
  "shows the reply alone, deep inside": showing(
    "what a client reads of a run holds nothing of its recorded result",
    ({ texts }) => ({ metadata: { nested: [{ reply: texts?.reply }] } }),
  ),
  "shows the checkpoint of a run that was paused": showing(
    "what a client reads of a run holds nothing of its settled result",
    ({ status, texts }) => (status === "interrupted" ? { resume_at: texts?.checkpoint } : {}),
  ),
  "shows the questions of a cancelled run": showing(
    "what a client reads of a cancelled run holds nothing of its result",
    ({ status, texts }) => (status === "cancelled" ? { interrupts: texts?.interrupts } : {}),
  ),
  "shows the kwargs": showing(
    "what a client reads of a run holds nothing of its recorded result",
    ({ kwargs }) => ({ kwargs }),
  ),
  "shows that the server marked the run": showing(
    [
      "what a client reads of a run holds nothing of its imported result",
      "what a client reads of a run holds nothing of its copied result",
    ],
    ({ kwargs }) => ({ is_marked: Object.keys(kwargs).filter((key) => key === RUN_MARK_KEY) }),
  ),
};

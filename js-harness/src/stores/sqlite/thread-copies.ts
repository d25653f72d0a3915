/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { Database } from "better-sqlite3";
import { copiedCheckpoint, type ResultDriver } from "skein-results";

import {
  SkeinHttpError,
  type Thread,
  type ThreadCopyRequest,
  type ThreadRepo,
} from "../contract.js";
import { now } from "../new-rows.js";
import { copiedRuns } from "../run-copies.js";
import { atOnce } from "../snapshot-results.js";
import {
  kwargsOf,
  runOf,
  threadOf,
  type KwargsRow,
  type RunRow,
  type ThreadRow,
} from "../sql-rows.js";
import { lookupId } from "../storable.js";

import { RUN_COLUMNS, THREAD_COLUMNS } from "./columns.js";
import { inserting } from "./conflicts.js";
import { sqliteRunInsert } from "./run-inserts.js";

export function sqliteThreadCopy(
  database: Database,
  driver: Required<ResultDriver>,
): Required<Pick<ThreadRepo, "copyWithRuns" | "copiesIn">> {
  const copyThread = database.prepare<[object], ThreadRow>(
    `INSERT INTO threads (${THREAD_COLUMNS})
     SELECT @copy_id, CASE status WHEN 'busy' THEN 'idle' ELSE status END,
            metadata, "values", interrupts, error, @at, @at, @at
       FROM threads WHERE thread_id = @thread_id RETURNING ${THREAD_COLUMNS}`,
  );
  const selectRuns = database.prepare<[object], RunRow & KwargsRow>(
    `SELECT ${RUN_COLUMNS}, kwargs, base_checkpoint FROM runs
      WHERE thread_id = @thread_id AND run_id IN (SELECT value FROM json_each(@run_ids))
      ORDER BY seq`,
  );
  const insertRun = sqliteRunInsert(database);

  const copy = database.transaction((sourceThread: string, copied: ThreadCopyRequest): Thread => {
    const { thread_id: targetThread, run_ids, beside } = copied;
    if (beside) atOnce(beside(database));
    const source = { thread_id: lookupId(sourceThread) };
    const row = inserting(targetThread, null, () =>
      copyThread.get({ ...source, copy_id: targetThread, at: now() }),
    );
    if (!row) throw SkeinHttpError.notFound(`Thread "${sourceThread}" not found.`);
    const sources = selectRuns
      .all({ ...source, run_ids: JSON.stringify(run_ids) })
      .map(({ kwargs, base_checkpoint, ...run }) => ({
        run: runOf(run),
        kwargs: kwargsOf({ kwargs, base_checkpoint }),
      }));
    const { runs, copies } = copiedRuns(sources, targetThread);
    for (const stored of runs) insertRun(stored);
    // The driver itself, since the transaction ends with this function: the package's own method
    // reports a failure when it is over.
    atOnce(
      driver.copyMany(copies, (text) => copiedCheckpoint(text, { sourceThread, targetThread })),
    );
    return threadOf(row);
  });
  return {
    copyWithRuns: async (...request) => copy.immediate(...request),
    copiesIn: database,
  };
}

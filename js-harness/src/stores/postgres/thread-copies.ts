import type { Pool } from "pg";
import type { ResultMethods } from "skein-results";

import { SkeinHttpError, type ThreadRepo } from "../contract.js";
import { now } from "../new-rows.js";
import { copiedRuns } from "../run-copies.js";
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
import { inTransaction, type Queryable } from "./connection.js";
import { inserting } from "./insert.js";
import { insertRuns } from "./run-inserts.js";

/** The round trips of a copy do not grow with its runs. */
export function postgresThreadCopy(
  pool: Pool,
  results: ResultMethods,
): Required<Pick<ThreadRepo, "copyWithRuns" | "copiesIn">> {
  const copyWithRuns: ThreadRepo["copyWithRuns"] = (
    sourceThread,
    { thread_id: targetThread, run_ids, beside },
  ) =>
    inTransaction(pool, async (client) => {
      await beside?.(client);
      const thread = await copyThread(client, sourceThread, targetThread);
      if (!thread) throw SkeinHttpError.notFound(`Thread "${sourceThread}" not found.`);
      // Locked, so that no run is deleted between the copy of its row and that of its result.
      const { rows } = await client.query<RunRow & KwargsRow>(
        `SELECT ${RUN_COLUMNS}, kwargs::text AS kwargs, base_checkpoint::text AS base_checkpoint
           FROM runs WHERE thread_id = $1 AND run_id = ANY ($2::text[]) ORDER BY seq FOR SHARE`,
        [lookupId(sourceThread), run_ids],
      );
      const sources = rows.map(({ kwargs, base_checkpoint, ...run }) => ({
        run: runOf(run),
        kwargs: kwargsOf({ kwargs, base_checkpoint }),
      }));
      const { runs, copies } = copiedRuns(sources, targetThread);
      await insertRuns(client, runs);
      await results.copyResults({ sourceThread, targetThread, runs: copies }, client);
      return threadOf(thread);
    });
  return { copyWithRuns, copiesIn: pool };
}

async function copyThread(
  on: Queryable,
  sourceThread: string,
  targetThread: string,
): Promise<ThreadRow | undefined> {
  let copied: ThreadRow | undefined;
  await inserting(targetThread, null, async () => {
    const { rows } = await on.query<ThreadRow>(
      `INSERT INTO threads (thread_id, status, metadata, "values", interrupts, error,
                            created_at, updated_at, state_updated_at)
       SELECT $2::text, CASE status WHEN 'busy' THEN 'idle' ELSE status END,
              metadata, "values", interrupts, error,
              $3::timestamptz, $3::timestamptz, $3::timestamptz
         FROM threads WHERE thread_id = $1 RETURNING ${THREAD_COLUMNS}`,
      [lookupId(sourceThread), targetThread, now()],
    );
    copied = rows[0];
  });
  return copied;
}

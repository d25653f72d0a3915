// Does one operation on a database and dies at the statement that it is told; at none, it says which
// statements there are. It waits to be told, so that it can be started while another one dies.

import { openCrashHost } from "../host.js";
import type { DatabasePlace } from "../../invariants/rows.js";
import type { Place } from "../places.js";
import { isInTwoSteps, OPERATIONS, type OperationName } from "../operations.js";
import { watchStatements } from "../statements.js";

/** What a child is told. */
export interface Order {
  place: DatabasePlace;
  operation: OperationName | "migration";
  /** The place at which to die; null for none. */
  dieAt: Place | null;
}

const steps: string[] = [];
let dieAt: Place | null = null;
let isArmed = false;

watchStatements((moment, text) => {
  if (!isArmed) return;
  const step = `${moment} ${text.replaceAll(/\s+/g, " ").trim().slice(0, 60)}`;
  steps.push(step);
  if (step !== dieAt?.step) return;
  const occurrence = steps.filter((earlier) => earlier === step).length;
  if (occurrence === dieAt.occurrence) process.kill(process.pid, "SIGKILL");
});

async function carryOut({ place, operation, dieAt: at }: Order): Promise<void> {
  dieAt = at;
  if (operation === "migration") {
    isArmed = true;
    await (await openCrashHost(place)).close();
    return;
  }
  const host = await openCrashHost(place, isInTwoSteps(operation) ? "two-steps" : "one-write");
  const { prepare, act } = OPERATIONS[operation];
  const prepared = await prepare(host);
  await told({ prepared });
  isArmed = true;
  await act(host, prepared, (acknowledged) => process.send?.({ acknowledged }));
  isArmed = false;
  await host.close();
}

/** Waits until the message is on its way: this process may not live to send it later. */
function told(message: object): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });
}

process.once("message", (order: Order) => {
  carryOut(order).then(
    async () => {
      await told({ done: steps });
      process.exit(0);
    },
    async (error: unknown) => {
      await told({
        failed: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      process.exit(1);
    },
  );
});
process.send?.({ ready: true });

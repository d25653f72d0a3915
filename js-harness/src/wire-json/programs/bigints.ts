// Has a store keep BigInts in a process whose BigInts are taught, or not, how to be JSON, and sends what came of
// each: the code of the failure, the run's status, and what is read when the store has been opened again.

import type { RunResult } from "skein-results";

import { openStore } from "../../stores/testing/open-store.js";

const [taught = "", kind = "", place = ""] = process.argv.slice(2);
if (taught === "as text") {
  Object.defineProperty(BigInt.prototype, "toJSON", {
    configurable: true,
    writable: true,
    value(this: bigint) {
      return this.toString();
    },
  });
}

const VALUES: readonly unknown[] = [5n, -5n, 0n, 2n ** 70n, Object(1n), new BigInt64Array([5n])];

let open = await openStore(kind, place);
const { thread_id } = await open.store.threads.create();
const told: { code: unknown; status?: unknown; read?: unknown; run_id: string }[] = [];

async function settle(result: object): Promise<void> {
  const { runs } = open.store;
  const { run_id } = await runs.create({ assistant_id: "echo", thread_id });
  await runs.setStatus(run_id, "running");
  const settling = runs.settleRun(run_id, { status: "success", result: result as RunResult });
  const code = await settling.then(
    () => null,
    (error: unknown) => (error as { code?: unknown }).code,
  );
  told.push({ code, run_id });
}

for (const value of VALUES) {
  await settle({ values: { value } });
  await settle({ values: {}, reply: [value] });
  await settle({ values: {}, interrupts: { t1: [{ id: "i1", value }] } });
}
await settle({ values: { kept: 1 } });

// What memory has is gone with the store.
if (kind !== "memory") {
  await open.close();
  open = await openStore(kind, place);
}
for (const outcome of told) {
  outcome.status = (await open.store.runs.get(outcome.run_id))?.status;
  outcome.read = await open.store.runs.getResult(outcome.run_id);
}
process.send?.(told.map(({ code, status, read }) => [code, status, read]));
await open.close();
process.disconnect();

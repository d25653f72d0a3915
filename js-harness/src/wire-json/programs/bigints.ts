// Records BigInts in a process whose BigInts are taught, or not, how to be JSON, and sends what came of each.

import { resultMethods, type RunResult } from "skein-results";
import { memoryDriver } from "skein-results/memory";

const [taught = ""] = process.argv.slice(2);
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
const runs = new Map([["run", { status: "success" as const }]]);
const driver = memoryDriver({ runs });
const results = resultMethods(driver);

const outcomes: unknown[] = [];
for (const value of VALUES) {
  for (const result of [
    { values: { value } },
    { values: {}, reply: [value] },
    { values: {}, interrupts: { t1: [{ id: "i1", value }] } },
  ]) {
    driver.erase("run");
    const code = await results.recordResult("run", result as unknown as RunResult).then(
      () => null,
      (error: unknown) => (error as { code?: unknown }).code,
    );
    outcomes.push([code, await results.getResult("run")]);
  }
}
driver.erase("run");
await results.recordResult("run", { values: { kept: 1 } });
process.send?.({ outcomes, kept: await results.getResult("run") });
process.disconnect();

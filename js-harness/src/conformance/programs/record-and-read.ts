// Records a result for each run of a store and reads it at once: node … <path> <writer> <runs> <start>

import { setTimeout as delay } from "node:timers/promises";

import { openSqliteStore } from "../../stores/sqlite.js";

const [, , path = "", writer = "", runs = "", start = ""] = process.argv;

const { store, close } = await openSqliteStore({ path });
// So that both begin at the same time, however long each took to start.
await delay(Number(start) - Date.now());

const reads = [];
for (let run = 0; run < Number(runs); run += 1) {
  await store.runs.recordResult?.(`r${run}`, { values: { writer }, reply: writer });
  reads.push(await store.runs.getResult?.(`r${run}`));
}
process.send?.(reads);
await close();

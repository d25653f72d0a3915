// Opens an SQLite store, records a result for each of its runs and reads it at once, and sends what it
// read.

import { setTimeout as delay } from "node:timers/promises";

import { openSqliteStore } from "../../stores/sqlite.js";

const [path = "", writer = "", runs = "", start = ""] = process.argv.slice(2);

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

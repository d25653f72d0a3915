// Records results on an SQLite file, as one of several processes.
//
// `race <path> <worker> <rounds>`: in each round the same run as everybody, and one of its own; sends
// what it then reads of the shared one.
// `die <path> <run id>`: records one and is killed in the tick in which the promise resolves.

import { once } from "node:events";

import Database from "better-sqlite3";
import { resultMethods } from "skein-results";
import { sqliteDriver } from "skein-results/sqlite";

const [task = "", path = "", name = "", rounds = "0"] = process.argv.slice(2);
const database = new Database(path, { timeout: 5_000 });
database.pragma("synchronous = FULL");
const runs = resultMethods(sqliteDriver({ database }));
process.send?.("ready");
await once(process, "message");

if (task === "die") {
  await runs.recordResult(name, { values: { kept: name } });
  process.kill(process.pid, "SIGKILL");
}

const read: unknown[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  await runs.recordResult(`shared-${round}`, { values: { worker: name }, reply: name });
  read.push(await runs.getResult(`shared-${round}`));
  await runs.recordResult(`own-${name}-${round}`, { values: { round } });
}
process.send?.(read);
database.close();
process.disconnect();

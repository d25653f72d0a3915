// Opens an SQLite store, sends how many runs a thread has, and closes it.

import { openSqliteStore } from "../sqlite.js";

const [path = "", threadId = ""] = process.argv.slice(2);
const { store, close } = await openSqliteStore({ path });
process.send?.((await store.runs.listByThread(threadId)).length);
await close();

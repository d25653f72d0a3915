// Two builds at once: one waits for the other.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { exclusively } from "../lock.mjs";
import { ROOT } from "../process.mjs";

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-lock-"));
});
after(() => rmSync(folder, { recursive: true }));

const LOCK = pathToFileURL(join(ROOT, "scripts", "lock.mjs")).href;

/** A process that works under the lock for a while and writes down when it begins and ends. */
function worker(log) {
  return spawn(process.execPath, [
    "--input-type=module",
    "-e",
    `import { appendFileSync } from "node:fs";
    import { setTimeout } from "node:timers/promises";
    import { exclusively } from ${JSON.stringify(LOCK)};
    const note = (what) => appendFileSync(${JSON.stringify(log)}, what + " " + process.pid + "\\n");
    await exclusively("work", async () => {
      note("begins");
      await setTimeout(150);
      note("ends");
    }, ${JSON.stringify(folder)});`,
  ]);
}

test("no two processes work at the same time, and none is left out", async () => {
  const log = join(folder, "log");
  // The lock of a process that was killed: ids are far below this one.
  writeFileSync(join(folder, "work.lock"), "99999999");
  const codes = await Promise.all(
    [1, 2, 3, 4].map(async () => (await once(worker(log), "exit"))[0]),
  );
  assert.deepEqual(codes, [0, 0, 0, 0]);
  const lines = readFileSync(log, "utf8").trim().split("\n");
  assert.equal(lines.length, 8);
  for (let at = 0; at < lines.length; at += 2) {
    assert.equal(lines[at].replace("begins", "ends"), lines[at + 1]);
  }
  assert.deepEqual(readdirSync(folder), ["log"]);
});

test("work that fails gives the lock back", async () => {
  const failing = exclusively("work", () => Promise.reject(new Error("broken")), folder);
  await assert.rejects(failing, /broken/);
  assert.equal(await exclusively("work", () => "done", folder), "done");
});

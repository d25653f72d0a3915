// One process at a time: two commands started together must not build into the same folder.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { ROOT } from "./process.mjs";

/**
 * Does `work` while no other process does any under the same name, waiting for one that does. A lock
 * whose process is gone is taken over.
 */
export async function exclusively(name, work, folder = join(ROOT, "target")) {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, `${name}.lock`);
  for (let waiting = false; !take(lock); waiting = true) {
    if (!waiting) {
      process.stderr.write(`- waiting for another ${name} (if there is none, remove ${lock})\n`);
    }
    await setTimeout(100);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The file appears together with its content, so nobody reads a lock that names no process yet. */
function take(lock) {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    const holder = holderOf(lock);
    if (holder !== null && !isAlive(holder)) dropStale(lock);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Moved before it is removed: who else saw the stale lock may have a fresh one in its place by now. */
function dropStale(lock) {
  const stale = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, stale);
    const holder = holderOf(stale);
    if (holder !== null && isAlive(holder)) linkSync(stale, lock);
    rmSync(stale, { force: true });
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  }
}

function holderOf(lock) {
  try {
    return Number(readFileSync(lock, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

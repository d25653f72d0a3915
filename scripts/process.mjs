// Running other programs, and saying what is being done.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** Something to be put right on the machine or in the sources; its message says all there is to say. */
export class Failure extends Error {}

/** Runs a command to its end. A failure is shown as its message, anything unforeseen with its stack. */
export async function main(command) {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Runs a program to its end and fails with its name if it fails. */
export function run(program, args, { env = process.env, stdout = "inherit", cwd = ROOT } = {}) {
  const { status, signal, error } = spawnSync(program, args, {
    cwd,
    env,
    stdio: ["ignore", stdout, "inherit"],
  });
  if (error) throw new Failure(`${program} could not be started: ${error.message}`);
  if (status !== 0) {
    throw new Failure(
      `${[program, ...args].join(" ")} failed with ${signal ?? `exit code ${status}`}`,
    );
  }
}

/** What a program prints, trimmed; null if it cannot be started or fails. */
export function capture(program, args) {
  const { status, stdout } = spawnSync(program, args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

/** Does one piece of work under a line that says what it is and how long it took. */
export async function step(what, work) {
  const started = Date.now();
  process.stderr.write(`- ${what} … `);
  try {
    const result = await work();
    process.stderr.write(`done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
    return result;
  } catch (error) {
    process.stderr.write("failed\n");
    throw error;
  }
}

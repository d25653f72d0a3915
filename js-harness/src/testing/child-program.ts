// TypeScript programs as processes of their own: for what must be seen across processes, or must
// survive the death of one.

import { fork, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/** Compiled beside the installed packages, so that the programs find them as the sources do. */
const OUTPUT = new URL("../../node_modules/.child-programs/", import.meta.url);

/** A program that plain Node can run. */
export interface ChildProgram {
  /** Starts it in a process of its own. */
  start(...parameters: string[]): ChildProcess;
  /** Runs it to its end and answers what it sent; a failure carries what it printed. */
  run(...parameters: string[]): Promise<unknown[]>;
  remove(): Promise<void>;
}

/**
 * Compiles a program, with the sources it imports, and without the packages.
 *
 * @param output a folder below that of the installed packages, for a caller that was itself compiled
 */
export async function childProgram(entry: URL, output: URL = OUTPUT): Promise<ChildProgram> {
  const file = fileURLToPath(new URL(`${randomUUID()}.mjs`, output));
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "silent",
  });
  const start = (...parameters: string[]): ChildProcess => fork(file, parameters, { silent: true });
  return {
    start,
    run: async (...parameters) => {
      const child = start(...parameters);
      const sent: unknown[] = [];
      const printed: string[] = [];
      child.on("message", (message) => sent.push(message));
      child.stderr?.setEncoding("utf8").on("data", (text: string) => printed.push(text));
      const [code] = (await once(child, "close")) as [number | null];
      if (code !== 0)
        throw new Error(`The program ended with ${String(code)}: ${printed.join("")}`);
      return sent;
    },
    remove: () => rm(file, { force: true }),
  };
}

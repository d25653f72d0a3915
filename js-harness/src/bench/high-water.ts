// The peak of a process's resident memory, measured in a process of its own, whose high-water mark
// nothing else has raised.

import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** Names the work that this process measures for its parent. */
const MEASURING = "SKEIN_BENCH_MEASURES";

/** Which work this process is to measure; undefined in the one that asks for it. */
export const measuredWork = process.env[MEASURING];

/** Runs a program as the process that measures, and answers what it sends. */
export async function measuredIn<T>(program: string, work: string): Promise<T> {
  const child = fork(program, { env: { ...process.env, [MEASURING]: work } });
  const [message] = (await once(child, "message")) as [T];
  return message;
}

/** The peak of the resident memory of this process so far, in bytes. */
export function highWaterMark(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

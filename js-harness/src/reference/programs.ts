// Random programs over a driver's primitives, with the answers that the reference store in Rust gives;
// `examples/programs.rs` writes them.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import type { RunStatus } from "skein-results";

/** Runs and threads by their numbers. */
type Id = number;

/** A result, without what no rule looks into. */
export interface ProgramText {
  values: number;
  /** The thread of its checkpoint, where it has one. */
  checkpoint: Id | null;
  asks: boolean;
}

interface Lineage {
  root: Id;
  turn: number;
}

export type Step = { answer: unknown } & (
  | { op: "create"; run: Id; thread: Id; status: RunStatus; lineage: Lineage | null }
  | { op: "setStatus"; run: Id; status: RunStatus }
  | { op: "delete" | "start" | "cancel" | "cancelPaused" | "passOver" | "read"; run: Id }
  | { op: "deleteThread"; thread: Id }
  | { op: "record"; run: Id; text: ProgramText }
  | {
      op: "settle";
      run: Id;
      status: Exclude<RunStatus, "pending" | "running">;
      text: ProgramText | null;
    }
  | { op: "readMany"; runs: Id[] }
  | { op: "attachMany"; entries: [Id, ProgramText][] }
  | { op: "copyMany"; from: Id; to: Id; copies: [Id, Id][] }
  | { op: "admitResume"; paused: Id; run: Id; thread: Id; lineage: Lineage | null }
  | { op: "task"; task: Id }
);

export interface Program {
  seed: number;
  steps: Step[];
  /** Every run at the end, in the order of creation. */
  rows: { run: Id; thread: Id; status: RunStatus; text: ProgramText | null }[];
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const EXAMPLE = ["run", "--quiet", "--features", "explore", "--example", "programs", "--"];

/** Asks the reference store. Programs of the same seed are the same. */
export async function programs(seed: number, count: number, steps: number): Promise<Program[]> {
  const { stdout } = await promisify(execFile)(
    "cargo",
    [...EXAMPLE, String(seed), String(count), String(steps)],
    { cwd: ROOT, maxBuffer: 1 << 30 },
  );
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Program);
}

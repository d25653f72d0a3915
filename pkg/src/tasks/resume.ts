import type { RunResult, RunStatus } from "../wasm/shapes.js";
import type { Checkpoint } from "@langchain/langgraph-sdk";

import { readArgument, readMembers } from "../wasm/argument.js";
import { interruptsOf } from "./view.js";
import type { ResumeFacts as AskedFacts } from "../wasm/glue.js";
import { ask } from "../wasm/instance.js";

/** An answer to a paused run: one value, or a value for each interrupt by its id. */
export type ResumeAnswer =
  | { readonly plain: unknown }
  | { readonly named: readonly { readonly id: string; readonly value: unknown }[] };

/** What a host knows when an answer arrives; gather it inside the thread's execution claim. */
export interface ResumeFacts {
  /** The paused run's row. */
  run: { thread_id: string; status: RunStatus };
  /** True if another run of the thread came after it, or is in flight. */
  movedOn: boolean;
  /** The checkpoint of the run's result. */
  checkpoint: Checkpoint | null | undefined;
  /**
   * The interrupts of the run's result; none is `{}`. They have to be those that are pending: a run that
   * answered them and was erased, or rolled back, may have left its answer with the saver. Without them
   * that is not seen.
   */
  interrupts?: RunResult["interrupts"];
  /**
   * The id of what the saver found under the checkpoint's thread, namespace and id. A saver may answer
   * an id that is gone with another checkpoint: pass the id of what it answered.
   */
  found: string | null | undefined;
  /** The id of the thread's newest checkpoint. */
  tip: string | null | undefined;
  /**
   * The interrupts that are pending there, answered ones left out, in order. LangGraph lists one as pending
   * while its answer is worked on: one that holds more answers (`__resume__`) than the thread's runs have
   * given at this checkpoint is left out, too.
   */
  pending: readonly { id?: string }[];
}

/** What the graph is given: nothing at a breakpoint, or a value for each interrupt by its id. */
export type ResumePlan =
  | { readonly at: "breakpoint" }
  | { readonly at: "interrupts"; readonly resume: Readonly<Record<string, unknown>> };

/**
 * Decides whether an answer resumes a paused run, and what the graph is given (contract 12).
 *
 * @throws `resume_refused`; nothing is to be created then. `details.reason` is `not_paused`,
 * `moved_on`, `no_checkpoint`, `checkpoint_gone`, `stale`, `unknown_interrupt`, `repeated_interrupt`,
 * `unnamed_answer` or `nothing_asked`. `invalid_argument`
 */
export function planResume(facts: ResumeFacts, answer: ResumeAnswer): ResumePlan {
  const { named, plain } = readArgument("answer", () => partsOf(answer));
  const asked = readArgument("facts", () => askedOf(facts));
  const planned = ask((rules) =>
    rules.planResume({ ...asked, named: named?.map(([id]) => id) ?? null }),
  );
  if (planned === null) return { at: "breakpoint" };
  const values = planned === true ? (named ?? []) : [[planned, plain] as const];
  return { at: "interrupts", resume: Object.fromEntries(values) };
}

/** What an answer says, each part read once. */
function partsOf(answer: ResumeAnswer): { named: [string, unknown][] | null; plain: unknown } {
  if (!("named" in answer)) return { named: null, plain: answer.plain };
  return {
    named: answer.named.map(({ id, value }): [string, unknown] => [id, value]),
    plain: undefined,
  };
}

/** What the rules are asked of the facts. */
function askedOf(facts: ResumeFacts): Omit<AskedFacts, "named"> {
  const { run, checkpoint, interrupts, pending } = facts;
  return {
    status: run.status,
    movedOn: facts.movedOn,
    thread: run.thread_id,
    paused: checkpoint ? pausedAt(checkpoint) : null,
    asked: interrupts === undefined ? null : idsOf(interruptsOf({ interrupts })),
    exact: facts.found ?? null,
    tip: facts.tip ?? null,
    pending: idsOf(pending),
  };
}

function idsOf(interrupts: readonly { id?: string }[]): (string | null)[] {
  return interrupts.map(({ id }) => id ?? null);
}

/** Somebody else's checkpoint may be anything; one without texts is none. */
function pausedAt(checkpoint: Partial<Record<keyof Checkpoint, unknown>>) {
  const { thread_id: thread, checkpoint_id: id } = checkpoint;
  return {
    thread: typeof thread === "string" ? thread : "",
    checkpoint: typeof id === "string" ? id : "",
  };
}

/** A continuation whose turn has come. */
export interface ContinuationFacts {
  /** The status of the paused run now; null if it is gone. */
  paused: RunStatus | null;
  /** The id of the checkpoint that it paused at. */
  checkpoint: string;
  /** The id of the thread's newest checkpoint now. */
  tip: string | null | undefined;
  /** The tip that an earlier attempt of the continuation began from, if there was one. */
  base: string | null | undefined;
}

/**
 * How a continuation begins to execute, inside the thread's execution claim: `answer` gives the graph the
 * planned answer; `go-on` gives it nothing, since an earlier attempt that crashed has answered already.
 *
 * @throws `resume_refused`: between admission and execution the thread has moved on; `invalid_argument`
 */
export function beginResume(facts: ContinuationFacts): "answer" | "go-on" {
  const { paused, checkpoint, tip, base } = readMembers(
    "facts",
    facts,
    "paused",
    "checkpoint",
    "tip",
    "base",
  );
  const answers = ask((rules) =>
    rules.beginResume(paused ?? undefined, checkpoint, tip ?? undefined, base ?? undefined),
  );
  return answers ? "answer" : "go-on";
}

// A program, carried out on a real store.

import { randomUUID } from "node:crypto";

import { markRun, type ResultMethods, type RunResult } from "skein-results";

import type { RunCreate } from "../stores/contract.js";
import type { CompleteStore } from "../stores/store-suite/fixtures.js";

import type { Program, ProgramText, Step } from "./programs.js";

/** The answers of a store, and the rows that it has at the end, as the reference store gives them. */
export interface CarriedOut {
  answers: unknown[];
  rows: Program["rows"];
}

const THREADS = [100, 101];

/** A program on threads and runs of its own: many programs may share a store. */
export class ProgramRun {
  readonly #store: CompleteStore;
  /** The store spreads the package's methods; these are no part of what the server asks of it. */
  readonly #results: ResultMethods;
  readonly #prefix = randomUUID();

  constructor(store: CompleteStore) {
    this.#store = store;
    this.#results = store.runs as unknown as ResultMethods;
  }

  async carryOut({ steps, rows }: Program): Promise<CarriedOut> {
    for (const thread of THREADS) {
      await this.#store.threads.create({ thread_id: this.#id(thread) });
    }
    const answers: unknown[] = [];
    for (const step of steps) answers.push(await this.#take(step));
    const found = await Promise.all(rows.map(({ run, thread }) => this.#row(run, thread)));
    return { answers, rows: found.filter((row) => row !== null) };
  }

  /** The answer, in the reference store's words. */
  async #take(step: Step): Promise<unknown> {
    const { runs, threads } = this.#store;
    switch (step.op) {
      case "create":
        await runs.create(this.#created(step, step.status));
        return null;
      case "delete":
        await runs.delete(this.#id(step.run));
        return null;
      case "deleteThread":
        await threads.delete(this.#id(step.thread));
        await threads.create({ thread_id: this.#id(step.thread) });
        return null;
      case "setStatus":
        await runs.setStatus(this.#id(step.run), step.status);
        return null;
      case "start":
        return runs.startRun(this.#id(step.run));
      case "record":
        await runs.recordResult(this.#id(step.run), this.#result(step.text));
        return null;
      case "read":
        return this.#text(await runs.getResult(this.#id(step.run)));
      case "settle": {
        const result = step.text ? { result: this.#result(step.text) } : {};
        return runs.settleRun(this.#id(step.run), { status: step.status, ...result });
      }
      case "cancel":
        return runs.cancelRun(this.#id(step.run));
      case "readMany": {
        const entries = await runs.exportResults(step.runs.map((run) => this.#id(run)));
        const found = new Map(entries.map(([run, result]) => [run, result]));
        // In which order they are read is the store's own affair.
        return step.runs.flatMap((run) => {
          const text = this.#text(found.get(this.#id(run)) ?? null);
          return text ? [[run, text]] : [];
        });
      }
      case "attachMany":
        await this.#results.attachResults(
          step.entries.map(([run, text]) => [this.#id(run), this.#texts(text)]),
        );
        return null;
      case "copyMany":
        await this.#results.copyResults({
          sourceThread: this.#id(step.from),
          targetThread: this.#id(step.to),
          runs: step.copies.map(([from, to]) => ({ from: this.#id(from), to: this.#id(to) })),
        });
        return null;
      case "cancelPaused":
        return runs.cancelPausedRun(this.#id(step.run));
      case "passOver":
        await runs.passOverPaused(this.#id(step.run));
        return null;
      case "admitResume":
        return (
          (await runs.createResume(this.#created(step, "pending"), this.#id(step.paused))) !== null
        );
      case "task":
        return this.#task(step.task);
    }
  }

  #id(number: number): string {
    return `${this.#prefix}-${number}`;
  }

  #number(id: string): number {
    return Number(id.slice(this.#prefix.length + 1));
  }

  #created(
    { run, thread, lineage }: Pick<Extract<Step, { op: "create" }>, "run" | "thread" | "lineage">,
    status: RunCreate["status"] & string,
  ): RunCreate {
    const mark = lineage && { root: this.#id(lineage.root), turn: lineage.turn, message: null };
    return {
      run_id: this.#id(run),
      thread_id: this.#id(thread),
      assistant_id: "echo",
      status,
      kwargs: mark ? markRun({}, mark) : {},
    };
  }

  async #task(task: number): Promise<unknown> {
    const query = { task: this.#id(task), limit: 1, answers: true, count: false };
    const [found] = (await this.#store.runs.taskPage(query)).tasks;
    if (!found) return null;
    return { run: this.#number(found.run), status: found.status, movedOn: found.movedOn };
  }

  async #row(run: number, thread: number): Promise<Program["rows"][number] | null> {
    const row = await this.#store.runs.get(this.#id(run));
    if (row?.thread_id !== this.#id(thread)) return null;
    const text = this.#text(await this.#store.runs.getResult(row.run_id));
    return { run, thread, status: row.status, text };
  }

  #result({ values, checkpoint, asks }: ProgramText): RunResult {
    const thread_id = checkpoint === null ? null : this.#id(checkpoint);
    return {
      values: values as unknown as RunResult["values"],
      ...(asks ? { interrupts: { task: [{ id: "question", value: values }] } } : {}),
      ...(thread_id === null
        ? {}
        : {
            checkpoint: {
              thread_id,
              checkpoint_ns: "",
              checkpoint_id: `c-${values}`,
              checkpoint_map: null,
            },
          }),
    };
  }

  #texts(text: ProgramText) {
    const { values, interrupts, checkpoint } = this.#result(text);
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
    return {
      values: JSON.stringify(values),
      interrupts: json(interrupts),
      reply: null,
      checkpoint: json(checkpoint),
    };
  }

  #text(result: RunResult | null): ProgramText | null {
    if (!result) return null;
    const { values, interrupts, checkpoint } = result;
    return {
      values: values as unknown as number,
      checkpoint: checkpoint ? this.#number(checkpoint.thread_id) : null,
      asks: interrupts !== undefined,
    };
  }
}

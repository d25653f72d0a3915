// Killing processes, one after the other, and looking at what they leave.

import { once } from "node:events";
import type { ChildProcess } from "node:child_process";

import type { Host } from "../host.js";
import { openRows, type DatabasePlace, type Rows } from "../invariants/rows.js";
import { brokenAtRest, Watch } from "../invariants/watch.js";
import type { ChildProgram } from "../testing/child-program.js";

import { openCrashHost } from "./host.js";
import {
  OPERATIONS,
  isInTwoSteps,
  type Acknowledged,
  type Operation,
  type OperationName,
  type Prepared,
} from "./operations.js";
import { sentenceOf, type Place } from "./places.js";
import type { Order } from "./programs/crash-child.js";

/** What the kills have come to. */
export interface CrashReport {
  kills: number;
  /** The places at which a process was killed, as sentences. */
  points: string[];
  violations: string[];
}

interface Message {
  ready?: true;
  prepared?: Prepared;
  acknowledged?: Acknowledged;
  done?: string[];
  failed?: string;
}

/** What became of a process. */
interface Death {
  prepared: Prepared | undefined;
  acknowledged: Acknowledged[];
  /** The statements of a process that came to its end. */
  steps: string[] | undefined;
}

/** Started ahead, since starting takes longer than dying. */
export class Victims {
  readonly #program: ChildProgram;
  #next: Promise<ChildProcess> | undefined;

  constructor(program: ChildProgram) {
    this.#program = program;
  }

  /** Has a process carry out the order; answers when it is dead. */
  async send(order: Order): Promise<Death> {
    const child = await (this.#next ?? this.#start());
    this.#next = this.#start();
    this.#next.catch(() => undefined);
    const death: Death = { prepared: undefined, acknowledged: [], steps: undefined };
    let failure: string | undefined;
    child.on("message", ({ prepared, acknowledged, done, failed }: Message) => {
      if (prepared) death.prepared = prepared;
      if (acknowledged) death.acknowledged.push(acknowledged);
      if (done) death.steps = done;
      failure ??= failed;
    });
    const closed = once(child, "close") as Promise<[number | null, string | null]>;
    child.send(order);
    const [code, signal] = await closed;
    if (signal !== "SIGKILL" && (code !== 0 || failure)) {
      throw new Error(`${order.operation} ended with ${String(code)}: ${failure ?? "no reason"}`);
    }
    return death;
  }

  async end(): Promise<void> {
    const child = await this.#next?.catch(() => undefined);
    child?.kill("SIGKILL");
  }

  async #start(): Promise<ChildProcess> {
    const child = this.#program.start();
    await once(child, "message");
    return child;
  }
}

/** Kills processes in the middle of operations on one database. */
export class Crashes {
  readonly #victims: Victims;
  readonly #place: DatabasePlace;
  readonly #rows: Rows;
  readonly #watches: Record<"one-write" | "two-steps", Watch> = {
    "one-write": new Watch({ oneWrite: true }),
    "two-steps": new Watch({ oneWrite: false }),
  };
  readonly #told = new Set<string>();
  readonly report: CrashReport = { kills: 0, points: [], violations: [] };

  constructor(victims: Victims, place: DatabasePlace) {
    this.#victims = victims;
    this.#place = place;
    this.#rows = openRows(place);
  }

  /** The places of an operation, found by letting one process live. */
  async stepsOf(operation: OperationName): Promise<string[]> {
    const { steps } = await this.#victims.send({ place: this.#place, operation, dieAt: null });
    if (!steps) throw new Error(`${operation} was not carried out.`);
    return steps;
  }

  /** One kill: what is left is looked at, then recovered by the queue of a new host, and looked at again. */
  async kill(operation: OperationName, dieAt: Place): Promise<void> {
    const death = await this.#victims.send({ place: this.#place, operation, dieAt });
    const support = isInTwoSteps(operation) ? "two-steps" : "one-write";
    const point = `${this.#place.kind}: ${operation}, ${sentenceOf(dieAt)}`;
    // A process may have come to its end before: it did not come to this place as often this time.
    if (!death.steps) {
      this.report.kills += 1;
      this.report.points.push(point);
    }
    const broken = this.#watches[support].see(await this.#rows.read());
    try {
      const host = await openCrashHost(this.#place, support);
      try {
        await untilNothingIsInFlight(host);
        broken.push(...this.#watches[support].see(await this.#rows.read()));
        if (death.prepared) broken.push(...(await this.#broken(host, operation, death)));
      } finally {
        await host.close();
      }
    } catch (error) {
      broken.push(`The next process fails: ${String(error)}`);
    }
    // What stays broken is told where it was broken.
    for (const sentence of broken) {
      if (!this.#told.has(sentence)) this.report.violations.push(`${point}: ${sentence}`);
      this.#told.add(sentence);
    }
  }

  async close(): Promise<void> {
    await this.#rows.close();
  }

  async #broken(host: Host, name: OperationName, death: Death): Promise<string[]> {
    const { prepared } = death;
    if (!prepared) return [];
    const operation: Operation = OPERATIONS[name];
    const rows = await this.#rows.read();
    const broken = [
      ...brokenAtRest(rows),
      ...(await lost(host, death.acknowledged)),
      ...(operation.broken?.(rows, prepared) ?? []),
    ];
    await operation.again?.(host, prepared);
    // The thread serves the next turn, where it is still there.
    const { runs } = host.services();
    if (!(await host.store.threads.get(prepared.threadId))) return broken;
    const request = { threadId: prepared.threadId, assistantId: "echo", input: { value: "after" } };
    const next = await runs.submit(request, { mark: (root) => ({ root, turn: 0, message: null }) });
    const ended = await next.outcome;
    if (ended?.status !== "success") broken.push("The thread does not serve another turn.");
    return broken;
  }
}

/** What was promised before the process died, and is not so. */
async function lost(host: Host, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const broken: string[] = [];
  for (const fact of acknowledged) {
    if ("thread" in fact) {
      if (await host.store.threads.get(fact.thread)) continue;
      broken.push(`Thread ${fact.thread} was acknowledged and is not there.`);
      continue;
    }
    const row = await host.store.runs.get(fact.run);
    if (!row) broken.push(`Run ${fact.run} was acknowledged and is not there.`);
    else if (fact.status !== null && row.status !== fact.status) {
      broken.push(`Run ${fact.run} was acknowledged as ${fact.status} and is ${row.status}.`);
    }
  }
  return broken;
}

async function untilNothingIsInFlight({ store }: Host): Promise<void> {
  const deadline = Date.now() + RECOVERY_MS;
  while ((await store.runs.listActiveRuns()).length > 0) {
    // Whatever is left then is told by the rows.
    if (Date.now() > deadline) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const RECOVERY_MS = 60_000;

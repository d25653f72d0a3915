import type { ResultEntry, RunResult, RunStatus, StatusOutcome } from "../wasm/shapes.js";
import type { ResultMethods, RunSettle } from "../results/methods.js";
import type { SettlingRuns } from "../results/settlement.js";
import type { SnapshotResults } from "../results/snapshot.js";
import { requireResultSupport } from "../results/support.js";
import type { TaskPage } from "../tasks/methods.js";
import type { TaskQuery } from "../tasks/query.js";
import type { ThreadCopy } from "../results/thread-copy.js";

import type {
  HostTransaction,
  NewRun,
  OneByOne,
  RunRow,
  RunsUnderTest,
  StoreUnderTest,
} from "./store-under-test.js";
import { violated } from "./violation.js";

/** Thrown where a case is about something that the store does not have. */
export class Lacks extends Error {
  override readonly name = "Lacks";

  constructor(readonly what: string) {
    super(`The store has no ${what}.`);
  }
}

/** What a pass does after each step that matters. */
export type Pass = "go on" | "reopen";

/** The methods of a run repository that a store may lack and still keep results. */
type OptionalMethod = Exclude<keyof ResultMethods, "recordResult" | "getResult">;

/** A run that a case has made. */
export interface TrialRun {
  readonly runId: string;
  readonly threadId: string;
}

/** One case on one store of its own. Methods are called on the store's own objects, at once. */
export class Trial {
  #store: StoreUnderTest;
  readonly #pass: Pass;
  readonly #besides: Trial[] = [];
  #steps = 0;

  constructor(store: StoreUnderTest, pass: Pass) {
    this.#store = store;
    this.#pass = pass;
  }

  /** The run repository as it is now: it is another one after a reopening. */
  get runs(): RunsUnderTest {
    return this.#store.runs;
  }

  get canReopen(): boolean {
    return this.#store.reopen !== undefined;
  }

  /** How many steps that matter the case has had. */
  get steps(): number {
    return this.#steps;
  }

  // What the host does ---------------------------------------------------------------------------

  async newThread(): Promise<string> {
    const threadId = newId("thread");
    await this.#store.createThread(threadId);
    return threadId;
  }

  /** Creates a run, on a thread of its own unless one is named. */
  async newRun(run: Partial<NewRun> = {}): Promise<TrialRun> {
    const threadId = run.threadId ?? (await this.newThread());
    const { runId } = await this.create({ ...run, threadId });
    return { runId, threadId };
  }

  /** Creates a run on a thread that is there. */
  async create(run: Partial<NewRun> & { threadId: string }): Promise<NewRun> {
    const created = completed(run);
    await this.#store.createRun(created);
    return created;
  }

  async createThread(threadId: string): Promise<void> {
    await this.#store.createThread(threadId);
  }

  /** Whether the run that resumes a paused one was admitted, and created. */
  async createResume(run: Partial<NewRun> & { threadId: string }, pausedRunId: string) {
    const created = completed({ status: "pending", ...run });
    if (this.#store.createResume) return this.#store.createResume(created, pausedRunId);
    return this.admitResume(pausedRunId, (transaction) => this.createIn(transaction, created));
  }

  /** Inserts a run in the transaction of an admission. */
  createIn(transaction: unknown, run: Partial<NewRun> & { threadId: string }): unknown {
    this.requireCreateIn();
    return this.#store.createRunIn?.(transaction, completed(run));
  }

  /** Ends the case where the suite cannot insert a run in the transaction of an admission. */
  requireCreateIn(): void {
    if (!this.#store.createRunIn) throw new Lacks("createRunIn");
  }

  async setStatus(runId: string, status: RunStatus): Promise<void> {
    await this.#store.setStatus(runId, status);
  }

  async deleteRun(runId: string): Promise<void> {
    await this.#store.deleteRun(runId);
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#store.deleteThread(threadId);
  }

  /** The row as a client reads it: JSON, whatever the store answered. */
  async row(runId: string): Promise<RunRow | null> {
    return JSON.parse(JSON.stringify((await this.#store.getRun(runId)) ?? null)) as RunRow | null;
  }

  /** The row of a run that must be there. */
  async existingRow(runId: string): Promise<RunRow> {
    return (await this.row(runId)) ?? violated("A run that nobody deleted is gone.");
  }

  /** Everything that a client can read about the run, its row included. */
  async readings(runId: string): Promise<unknown> {
    return [await this.#store.getRun(runId), await this.#store.readingsOf?.(runId)];
  }

  async transaction(work: (inside: HostTransaction) => Promise<void>): Promise<void> {
    if (!this.#store.transaction) throw new Lacks("transaction");
    await this.#store.transaction(work);
  }

  /** Does the work in a transaction of the host, and has it rolled back. */
  async rolledBack(work: (inside: HostTransaction) => Promise<void>): Promise<void> {
    const rollBack = new Error("The suite rolls this transaction back.");
    try {
      await this.transaction(async (inside) => {
        await work(inside);
        throw rollBack;
      });
    } catch (error) {
      if (error === rollBack) return;
      throw error;
    }
    violated("A transaction must reject with what its work threw, and it resolves.");
  }

  // What the repository does ---------------------------------------------------------------------

  /** Records anything as a result: the suite hands over what a graph could. */
  record(runId: string, result: unknown): Promise<void> {
    return requireResultSupport(this.runs).recordResult(runId, result as RunResult);
  }

  get(runId: string): Promise<RunResult | null> {
    return requireResultSupport(this.runs).getResult(runId);
  }

  /** What an engine's settle point calls, on the store as it is at each call. */
  get settling(): SettlingRuns {
    return {
      recordResult: (runId, result) => this.record(runId, result),
      ...(this.offers("settleRun")
        ? { settleRun: (runId: string, settle: RunSettle) => this.settle(runId, settle) }
        : {}),
    };
  }

  settle(runId: string, settle: Omit<RunSettle, "result"> & { result?: unknown }) {
    return this.#offering("settleRun").settleRun(runId, settle as RunSettle);
  }

  cancel(runId: string) {
    return this.#offering("cancelRun").cancelRun(runId);
  }

  start(runId: string) {
    return this.#offering("startRun").startRun(runId);
  }

  exported(runIds: readonly string[]): Promise<SnapshotResults> {
    return this.#offering("exportResults").exportResults(runIds);
  }

  attach(entries: readonly ResultEntry[], transaction?: unknown): Promise<void> {
    return this.#offering("attachResults").attachResults(entries, transaction);
  }

  copy(copy: ThreadCopy, transaction?: unknown): Promise<void> {
    return this.#offering("copyResults").copyResults(copy, transaction);
  }

  /** A page of tasks: all that there are, unless the query says otherwise. */
  tasks(query: Partial<TaskQuery>): Promise<TaskPage> {
    const given = { limit: 1_000, answers: false, count: false, ...query };
    return this.#offering("taskPage").taskPage(given);
  }

  cancelPaused(runId: string): Promise<StatusOutcome | null> {
    return this.#offering("cancelPausedRun").cancelPausedRun(runId);
  }

  passOver(runId: string): Promise<void> {
    return this.#offering("passOverPaused").passOverPaused(runId);
  }

  admitResume(runId: string, create: (transaction?: unknown) => unknown): Promise<boolean> {
    return this.#offering("admitResume").admitResume(runId, create);
  }

  /** Ends the case where the store has no write of both status and result. */
  requireOneWrite(): void {
    this.#offering("settleRun");
  }

  /** Ends the case where the store does this run by run. */
  requireOneStep(method: OneByOne): void {
    if (this.#store.oneByOne?.includes(method)) throw new Lacks(`${method} in one step`);
  }

  offers(method: OptionalMethod): boolean {
    return typeof this.runs[method] === "function";
  }

  #offering<Method extends OptionalMethod>(method: Method): Required<Pick<ResultMethods, Method>> {
    if (!this.offers(method)) throw new Lacks(method);
    return this.runs as Required<Pick<ResultMethods, Method>>;
  }

  // Where it lives -------------------------------------------------------------------------------

  /** A step that matters is done: what it left must outlive the process. */
  async step(): Promise<void> {
    this.#steps += 1;
    if (this.#pass === "reopen" && this.canReopen) await this.reopen();
  }

  async reopen(): Promise<void> {
    if (!this.#store.reopen) throw new Lacks("reopen");
    this.#store = await this.#store.reopen();
  }

  /** The same data over a second connection, closed with this one. */
  async beside(): Promise<Trial> {
    if (!this.#store.connect) throw new Lacks("connect");
    const beside = new Trial(await this.#store.connect(), "go on");
    this.#besides.push(beside);
    return beside;
  }

  async close(): Promise<void> {
    for (const beside of this.#besides) await beside.close();
    await this.#store.close();
  }
}

function completed(run: Partial<NewRun> & { threadId: string }): NewRun {
  return { runId: newId("run"), status: "running", kwargs: { input: "in" }, ...run };
}

/** An id that nothing has. */
export function newId(of: string): string {
  return `${of}-${crypto.randomUUID()}`;
}

/** Long enough that a time written after it is another one. */
export function aMoment(): Promise<void> {
  return new Promise((done) => setTimeout(done, 5));
}

/** Starts both at once; which of them first changes from round to round. */
export function inEitherOrder<A, B>(
  round: number,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  if (round % 2 === 0) return Promise.all([one(), other()]);
  const started = other();
  return Promise.all([one(), started]);
}

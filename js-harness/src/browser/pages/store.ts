// What a page of the tests can do: the package as a bundler puts it into a page, and the conformance
// suite over the browser's own store.

import { isSkeinResultsError, resultMethods } from "skein-results";
import { browserStore, init } from "skein-results/browser";
import { conformanceCases, type StoreUnderTest } from "skein-results/conformance";

/** What a test calls in the page. */
export interface PageCalls {
  ready(): Promise<void>;
  create(runId: string): Promise<unknown>;
  record(runId: string, values: string): Promise<void>;
  read(runId: string): Promise<unknown>;
  settle(runId: string, values: string): Promise<unknown>;
  cancel(runId: string): Promise<unknown>;
  /** How each call of the store fails over junk; only what is not this package's own error. */
  junk(): Promise<string[]>;
  caseNames(): string[];
  runCase(storage: "local" | "session", name: string): Promise<string>;
}

/** Thrown by the package before `init`; recorded at once, while it still holds. */
const codeBeforeInit = codeOf(() => browserStore());

function codeOf(work: () => unknown): string {
  try {
    work();
    return "nothing was thrown";
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

const loaded = init(new URL("/skein_results.wasm", location.href));
const open = (storage: "local" | "session" = "local", prefix = "tabs") => {
  const store = browserStore({ storage, prefix });
  return { store, runs: resultMethods(store.driver) };
};

let opened = 0;

function storeUnderTest(storage: "local" | "session", prefix: string): StoreUnderTest {
  const { store, runs } = open(storage, prefix);
  return {
    runs,
    createThread: () => undefined,
    createRun: (run) => store.create(run),
    setStatus: (runId, status) => store.setStatus(runId, status),
    deleteRun: (runId) => store.delete(runId),
    deleteThread: (threadId) => store.deleteThread(threadId),
    getRun: (runId) => store.get(runId),
    connect: () => storeUnderTest(storage, prefix),
    reopen: () => storeUnderTest(storage, prefix),
    close: () => undefined,
    oneByOne: ["attachResults", "copyResults"],
  };
}

const cases = (storage: "local" | "session") =>
  conformanceCases(() => {
    opened += 1;
    return storeUnderTest(storage, `conformance-${opened}`);
  });

const calls: PageCalls = {
  ready: async () => {
    if (codeBeforeInit !== "not_initialized") throw new Error(`before init: ${codeBeforeInit}`);
    await loaded;
    await init();
  },
  create: (runId) => open().store.create({ runId, threadId: "t", status: "running" }),
  record: (runId, values) => open().runs.recordResult(runId, { values: { values }, reply: values }),
  read: (runId) => open().runs.getResult(runId),
  settle: (runId, values) =>
    open().runs.settleRun(runId, { status: "success", result: { values: { values } } }),
  cancel: (runId) => open().runs.cancelRun(runId),
  junk: () => untypedFailures(),
  caseNames: () => cases("local").map(({ name }) => name),
  runCase: async (storage, name) => {
    localStorage.clear();
    sessionStorage.clear();
    const found = cases(storage).find((candidate) => candidate.name === name);
    if (!found) throw new Error(`There is no case "${name}".`);
    const { lacks } = await found.run();
    return lacks ?? "";
  },
};

const JUNK = [undefined, null, 7, 5n, Symbol("s"), {}, [], true, () => 1, "junk", "\ud83d"];

async function untypedFailures(): Promise<string[]> {
  const { store } = open();
  type AnyCall = (...given: unknown[]) => unknown;
  const options = (name: string) => (junk: unknown) => browserStore({ [name]: junk });
  const targets: [name: string, call: AnyCall][] = [
    ["options", (junk) => browserStore(junk as object)],
    ["storage", options("storage")],
    ["prefix", options("prefix")],
    ["kwargs", (junk) => store.create({ runId: "j", threadId: "t", kwargs: junk as object })],
    ["threadId", (junk) => store.create({ runId: "j", threadId: junk as string })],
    ...Object.entries(store).filter(
      (entry): entry is [string, AnyCall] => typeof entry[1] === "function",
    ),
    ...Object.entries(resultMethods(store.driver) as object as Record<string, AnyCall>),
  ];
  const untyped: string[] = [];
  for (const [name, call] of targets) {
    for (const junk of JUNK) {
      try {
        await call(junk, junk, junk);
      } catch (error) {
        if (!isSkeinResultsError(error)) untyped.push(`${name}(${typeof junk}): ${String(error)}`);
      }
    }
  }
  return untyped;
}

Object.assign(globalThis, { calls });

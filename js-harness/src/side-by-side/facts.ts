// What a task costs beside time: statements, and the bytes of what is written.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { openBoth, type BothAgents, type Store } from "./agents.js";
import { getTask, send } from "./json-rpc.js";
import { sized, sizedInput } from "./sized.js";
import { countOf, statementsOf, type StatementCount } from "./statements.js";

/** From the message to the completed task, and reading that task. */
export interface TaskCost {
  send: StatementCount;
  getTask: StatementCount;
}

export interface StoreFacts {
  store: Store["name"];
  artifactBytes: number;
  ours: TaskCost;
  theirs: TaskCost;
}

const AGENT = { graph: sized, toInput: sizedInput };
const ARTIFACT_BYTES = 1 << 16;
const REPORT = join("reports", "side-by-side.json");
/** Under which of its names a store is known to a reader. */
const NAMES: Record<Store["name"], string> = { sqlite: "SQLite", postgres: "Postgres" };

/** Counts, each agent on databases of its own. */
export async function factsOn(store: Store): Promise<StoreFacts> {
  const ours = await costOn(store, (both) => both.ours);
  const theirs = await costOn(store, (both) => both.theirs);
  return { store: store.name, artifactBytes: ARTIFACT_BYTES, ours, theirs };
}

async function costOn(store: Store, urlOf: (both: BothAgents) => string): Promise<TaskCost> {
  const place = await store.prepare();
  try {
    const sending = await openBoth(place, AGENT);
    let id = "";
    const sent = await statementsOf(async () => {
      ({ id } = await send(urlOf(sending), String(ARTIFACT_BYTES)));
      // The answer comes before all is written, and closing waits for that.
      await sending.close();
    });
    const reading = await openBoth(place, AGENT);
    const read = await statementsOf(() => getTask(urlOf(reading), id));
    await reading.close();
    return { send: countOf(sent), getTask: countOf(read) };
  } finally {
    await place.remove();
  }
}

export async function writeFacts(facts: readonly StoreFacts[]): Promise<void> {
  await mkdir(dirname(REPORT), { recursive: true });
  await writeFile(REPORT, `${JSON.stringify({ facts }, null, 2)}\n`);
}

/** The facts in Markdown. */
export function tableOf(facts: readonly StoreFacts[]): string {
  const rows = facts.flatMap(({ store, ours, theirs }) => [
    [`statements per task, ${NAMES[store]}`, statements(ours), statements(theirs)],
    [`of these writes, ${NAMES[store]}`, ours.send.writes, theirs.send.writes],
    [`bytes written per task of 64 kB, ${NAMES[store]}`, written(ours), written(theirs)],
    [`statements per GetTask, ${NAMES[store]}`, ours.getTask.statements, theirs.getTask.statements],
  ]);
  return [["", "skein-results", "SDK"], ["---", "---", "---"], ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}

const statements = ({ send: { statements: count } }: TaskCost): number => count;
const written = ({ send: { bytesWritten } }: TaskCost): string =>
  `${Math.round(bytesWritten / 1024)} kB`;

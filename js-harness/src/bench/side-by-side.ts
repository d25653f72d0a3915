// This package's adapter beside the SDK's own handler and task store, over HTTP, in one process.

import { callForText, send } from "../side-by-side/json-rpc.js";
import { onEachStore, openBoth, type BothAgents, type Store } from "../side-by-side/agents.js";
import { sized, sizedInput } from "../side-by-side/sized.js";
import { factsOn, tableOf, writeFacts, type StoreFacts } from "../side-by-side/facts.js";

import { compare, type BenchRow } from "./compare.js";

const GOAL = 1;
/** What is left for chance. */
const LIMIT = 1.05;

const SIZES = [
  { name: "1k", bytes: 1 << 10, repeats: 2, rounds: 801 },
  { name: "64k", bytes: 1 << 16, repeats: 2, rounds: 801 },
  { name: "1m", bytes: 1 << 20, repeats: 1, rounds: 401 },
];

/** The rows of both databases; what they do beside time is printed as a table, and written to a report. */
export async function sideBySideBenches(): Promise<BenchRow[]> {
  const measured = await onEachStore(rowsOn);
  const facts = measured.map(({ facts }) => facts);
  await writeFacts(facts);
  console.log(`${tableOf(facts)}\n`);
  return measured.flatMap(({ rows }) => rows);
}

async function rowsOn(store: Store): Promise<{ rows: BenchRow[]; facts: StoreFacts }> {
  const place = await store.prepare();
  const both = await openBoth(place, { graph: sized, toInput: sizedInput });
  const rows: BenchRow[] = [];
  try {
    for (const size of SIZES) rows.push(await getTaskBench(store, both, size));
    rows.push(await sendBench(store, both));
  } finally {
    await both.close();
    await place.remove();
  }
  return { rows, facts: await factsOn(store) };
}

async function getTaskBench(
  { name: store }: Store,
  { ours, theirs }: BothAgents,
  { name, bytes, repeats, rounds }: (typeof SIZES)[number],
): Promise<BenchRow> {
  const [mine, other] = [await send(ours, String(bytes)), await send(theirs, String(bytes))];
  return compare({
    name: `gettask-${store}-${name}`,
    goal: GOAL,
    limit: LIMIT,
    ours: () => callForText(ours, "GetTask", { id: mine.id }),
    theirs: () => callForText(theirs, "GetTask", { id: other.id }),
    what: `GetTask over HTTP, an artifact of ${name}B, against DatabaseTaskStore`,
    repeats,
    rounds,
  });
}

function sendBench({ name: store }: Store, { ours, theirs }: BothAgents): Promise<BenchRow> {
  return compare({
    name: `send-${store}`,
    goal: GOAL,
    limit: LIMIT,
    ours: () => send(ours, "1024"),
    theirs: () => send(theirs, "1024"),
    what: "a message in a new context until its task is completed, against DatabaseTaskStore",
    rounds: 801,
  });
}

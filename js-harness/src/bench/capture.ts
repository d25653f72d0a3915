// Recording a result of LangChain messages and reading it back, against the JSON of the engine alone and
// against the same written in plain TypeScript.

import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { resultMethods, type RunResult } from "skein-results";
import { memoryDriver } from "skein-results/memory";

import { compare, type BenchRow, type Comparison } from "./compare.js";
import { plainWireJson } from "./plain-typescript.js";

/** A turn of a conversation, as graphs keep it. */
function message(index: number): BaseMessage {
  const id = `message-${index}`;
  switch (index % 3) {
    case 0:
      return new HumanMessage({ id, content: `What is the weather in city ${index}, and why?` });
    case 1:
      return new AIMessage({
        id,
        content: `I look it up: "city ${index}" — it may take a moment.\n`,
        tool_calls: [{ id: `call-${index}`, name: "weather", args: { city: `city ${index}` } }],
      });
    default:
      return new ToolMessage({
        id,
        tool_call_id: `call-${index - 1}`,
        content: JSON.stringify({ city: `city ${index - 1}`, celsius: index / 7, rain: index % 2 }),
      });
  }
}

/** A result of about that many bytes of wire JSON. */
function resultOf(bytes: number): RunResult {
  const messages: BaseMessage[] = [];
  for (let size = 20; size < bytes;) {
    const next = message(messages.length);
    messages.push(next);
    size += plainWireJson(next).length + 1;
  }
  return { values: { messages } };
}

interface Size {
  name: string;
  bytes: number;
  goal: number;
  rounds: number;
  repeats: number;
}

const SIZES: readonly Size[] = [
  { name: "300b", bytes: 300, goal: 1.5, rounds: 60, repeats: 2_000 },
  { name: "100k", bytes: 100_000, goal: 1.1, rounds: 60, repeats: 20 },
  { name: "5m", bytes: 5_000_000, goal: 1.1, rounds: 25, repeats: 1 },
];

/** Ours records into a run that has no result, and reads it back, each time anew. */
function ours(result: RunResult): () => Promise<unknown> {
  const runs = new Map([["run", { status: "success" as const }]]);
  const driver = memoryDriver({ runs });
  const methods = resultMethods(driver);
  return async () => {
    driver.erase("run");
    await methods.recordResult("run", result);
    return methods.getResult("run");
  };
}

/** The floor: the engine's own JSON, once on the write and once on the read, and nothing else. */
function floor({ values }: RunResult): () => unknown {
  return () => JSON.parse(plainWireJson(values)) as unknown;
}

/** What a store in plain TypeScript does: it keeps a normalized copy, and hands out copies of that. */
function plain({ values }: RunResult): () => Promise<unknown> {
  const stored = new Map<string, unknown>();
  const record = (value: unknown): Promise<void> => {
    stored.set("run", value);
    return Promise.resolve();
  };
  const read = (): Promise<unknown> => Promise.resolve(structuredClone(stored.get("run")));
  return async () => {
    await record(JSON.parse(plainWireJson(values)));
    return read();
  };
}

export async function captureBenches(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { name, bytes, goal, rounds, repeats } of SIZES) {
    const result = resultOf(bytes);
    const size = plainWireJson(result.values).length;
    const of = { ours: ours(result), rounds, repeats };
    const what = `record and read back ${size} bytes of messages`;
    const comparisons: Comparison[] = [
      { ...of, name: `capture-${name}`, goal, theirs: floor(result), what: `${what}, JSON alone` },
    ];
    if (bytes >= 100_000) {
      const against = `${what}, plain TypeScript`;
      comparisons.push({
        ...of,
        name: `capture-vs-ts-${name}`,
        goal: 1,
        theirs: plain(result),
        what: against,
      });
    }
    for (const comparison of comparisons) rows.push(await compare(comparison));
  }
  return rows;
}

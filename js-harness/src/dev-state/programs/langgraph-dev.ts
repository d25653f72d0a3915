// Runs the real development server of LangGraph in a folder, has a conversation with it through the
// official client, and ends it, so that it writes its `.langgraph_api/`. Sends what it answered.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { startServer } from "@langchain/langgraph-api/server";
import { Client } from "@langchain/langgraph-sdk";

const [cwd = "", port = ""] = process.argv.slice(2);

const GRAPHS = `
import { Annotation, END, interrupt, START, StateGraph } from "${import.meta.resolve("@langchain/langgraph")}";
export const echo = new StateGraph(Annotation.Root({ value: Annotation }))
  .addNode("answer", ({ value }) => ({ value: "echo: " + value }))
  .addEdge(START, "answer").addEdge("answer", END).compile();
export const ask = new StateGraph(Annotation.Root({ value: Annotation, answer: Annotation }))
  .addNode("question", ({ value }) => ({ answer: interrupt({ question: value + "?" }) }))
  .addEdge(START, "question").addEdge("question", END).compile();
`;
await writeFile(join(cwd, "graphs.mjs"), GRAPHS);

const { cleanup } = await startServer({
  port: Number(port),
  nWorkers: 2,
  host: "127.0.0.1",
  cwd,
  graphs: { echo: "./graphs.mjs:echo", ask: "./graphs.mjs:ask" },
});
const client = new Client({ apiUrl: `http://127.0.0.1:${port}`, apiKey: null });
const talked = await client.threads.create({ metadata: { topic: "talk" } });
for (const value of ["first", "second"]) {
  // The names that this server gives its own marks, as anybody may send them to that one.
  const metadata = { $skein_task: { v: 1, root: "x", turn: 0 } };
  const input = { value, $skein_task: metadata.$skein_task };
  await client.runs.wait(talked.thread_id, "echo", { input, metadata });
}
const paused = await client.threads.create();
await client.runs.wait(paused.thread_id, "ask", { input: { value: "Ship it" } });

const threads = [];
for (const { thread_id } of [talked, paused]) {
  const [state, runs, history] = await Promise.all([
    client.threads.getState(thread_id),
    client.runs.list(thread_id),
    client.threads.getHistory(thread_id),
  ]);
  threads.push({
    thread_id,
    values: state.values,
    next: state.next,
    runs,
    history: history.length,
  });
}
await cleanup();
process.send?.(threads, () => process.exit(0));

// The gate: with the official client, is the first task's artifact still the first answer after another
// turn, a prune and a reopened database? One script, with the package and without it.

import { Client as AgentProtocolClient } from "@langchain/langgraph-sdk";

import { a2aMount } from "../a2a/mount.js";
import type { Host, HostSettings, Mount } from "../host.js";

import { baselineMount, latestState, rememberedCheckpoint } from "./baseline.js";
import { connect, getTask, send, wireParts } from "./client.js";
import { isSameAnswer } from "./verdict.js";

/** How the server finds the answer of a task. */
export const MODES = ["baseline-latest", "baseline-checkpoint", "results"] as const;
export type Mode = (typeof MODES)[number];

/** A store that the gate runs on. */
export interface GateStore {
  name: string;
  /** Opens a host on the store; opened again it finds what was there. */
  open(settings: HostSettings): Promise<Host>;
  /** False for a store that ends with its process: the same host is asked then. */
  canReopen: boolean;
}

/** What the script saw. `sent` and `fetched` are the parts of the first task's artifacts. */
export interface GateRow {
  store: string;
  mode: Mode;
  reopened: boolean;
  sent: unknown[];
  fetched: unknown[];
  equal: boolean;
}

/** What happens to the thread after the first turn. Without it the baseline passes, too. */
export interface GateSteps {
  secondTurn: boolean;
  prune: boolean;
}

const ASSISTANT = "echo";
const ALL_STEPS: GateSteps = { secondTurn: true, prune: true };

/** Runs the script once. */
export async function runGate(
  store: GateStore,
  mode: Mode,
  steps: GateSteps = ALL_STEPS,
): Promise<GateRow> {
  const checkpoints = new Map<string, string>();
  const settings: HostSettings = { mount: mountFor(mode, checkpoints), log: () => undefined };
  let host = await store.open(settings);
  try {
    let { url } = await host.listen();
    const client = await connect(url);
    const first = await send(client, "first");
    checkpoints.set(first.id, await checkpointOf(host, first.contextId));
    if (steps.secondTurn) {
      const second = await send(client, "second", { contextId: first.contextId });
      if (mode === "results") await redeliver(host, first.id, second.id);
    }
    if (steps.prune) await prune(url, first.contextId);
    if (store.canReopen) {
      await host.close();
      host = await store.open(settings);
      ({ url } = await host.listen());
    }
    const again = await getTask(await connect(url), first.id);
    const [sent, fetched] = [wireParts(first), wireParts(again)];
    const equal = isSameAnswer(sent, fetched);
    return { store: store.name, mode, reopened: store.canReopen, sent, fetched, equal };
  } finally {
    await host.close();
  }
}

function mountFor(mode: Mode, checkpoints: Map<string, string>): Mount {
  switch (mode) {
    case "baseline-latest":
      return baselineMount(ASSISTANT, latestState);
    case "baseline-checkpoint":
      return baselineMount(ASSISTANT, rememberedCheckpoint(checkpoints));
    case "results":
      return a2aMount({ assistantId: ASSISTANT });
  }
}

async function checkpointOf(host: Host, threadId: string): Promise<string> {
  const { checkpoint } = await host.services().threads.getState(threadId);
  if (!checkpoint.checkpoint_id) throw new Error("The first turn left no checkpoint.");
  return checkpoint.checkpoint_id;
}

/**
 * A worker that was thought dead delivers the first run's capture once more, by now with the state of
 * the second turn: the first write has to win.
 */
async function redeliver(host: Host, firstRun: string, secondRun: string): Promise<void> {
  const { runs } = host.store;
  const late = await runs.getResult?.(secondRun);
  if (!late) throw new Error("The second turn was not captured.");
  await runs.recordResult?.(firstRun, late);
}

/** Through the Agent Protocol, with its own official client's transport. */
async function prune(url: string, threadId: string): Promise<void> {
  const client = new AgentProtocolClient({ apiUrl: url });
  await client.threads.prune([threadId], { strategy: "keep_latest" });
}

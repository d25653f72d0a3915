// From a run's stored kwargs to the call of its graph.

import { Command, type StreamMode as GraphStreamMode } from "@langchain/langgraph";

import type { RunKwargs, StreamMode } from "../stores/contract.js";

import type { GraphCallOptions, NodeNames } from "./graph.js";

/** Stream modes of the protocol that this host serves, and the graph's name for each. */
const GRAPH_STREAM_MODES: Partial<Record<StreamMode, GraphStreamMode>> = {
  values: "values",
  updates: "updates",
  custom: "custom",
  messages: "messages",
  "messages-tuple": "messages",
  debug: "debug",
  tasks: "tasks",
  checkpoints: "checkpoints",
};

export function isServedStreamMode(mode: unknown): mode is StreamMode {
  return typeof mode === "string" && Object.hasOwn(GRAPH_STREAM_MODES, mode);
}

/** The graph's modes that a run's frames are published for; `values` unless it asked for others. */
export function publishedModes(
  requested: StreamMode | StreamMode[] | undefined,
): GraphStreamMode[] {
  const modes = [requested ?? []]
    .flat()
    .map((mode) => GRAPH_STREAM_MODES[mode])
    .filter((mode) => mode !== undefined);
  return modes.length > 0 ? [...new Set(modes)] : ["values"];
}

/** A command when the run resumes or redirects its thread, and the plain input otherwise. */
export function graphInput(kwargs: RunKwargs): unknown {
  if (!kwargs.command) return kwargs.input ?? null;
  const { resume, update, goto } = kwargs.command;
  return new Command({
    resume,
    update: update as Record<string, unknown>,
    goto: goto as string | string[],
  });
}

/**
 * `custom` is streamed whether or not anyone asked for it: a declared reply arrives there. A client's
 * configurable comes first, so that it cannot move the run to another thread or checkpoint.
 */
export function graphCallOptions(
  kwargs: RunKwargs,
  threadId: string,
  signal: AbortSignal,
): GraphCallOptions {
  const { checkpoint_id, context, interrupt_before, interrupt_after } = kwargs;
  const recursionLimit = kwargs.config?.recursion_limit;
  return {
    configurable: {
      ...clientConfigurable(kwargs.config?.configurable),
      thread_id: threadId,
      ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
    },
    streamMode: [...new Set([...publishedModes(kwargs.stream_mode), "custom" as const])],
    signal,
    ...(context === undefined ? {} : { context: context as Record<string, unknown> }),
    ...(typeof recursionLimit === "number" ? { recursionLimit } : {}),
    ...(interrupt_before === undefined ? {} : { interruptBefore: interrupt_before as NodeNames }),
    ...(interrupt_after === undefined ? {} : { interruptAfter: interrupt_after as NodeNames }),
  };
}

/** Where a run executes is the server's to say; keys with two underscores are LangGraph's own. */
const SERVER_CONFIGURABLE = new Set([
  "thread_id",
  "run_id",
  "checkpoint",
  "checkpoint_id",
  "checkpoint_ns",
  "checkpoint_map",
]);

function clientConfigurable(configurable: object | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(configurable ?? {}).filter(
      ([key]) => !SERVER_CONFIGURABLE.has(key) && !key.startsWith("__"),
    ),
  );
}

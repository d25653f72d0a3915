import type { RunResult } from "../wasm/shapes.js";

/** A result with every member, all of which say `text`. */
export function fullResult(text: string): RunResult {
  return {
    values: { answer: text, messages: [{ type: "ai", content: text }] },
    interrupts: { [`task-${text}`]: [{ id: `interrupt-${text}`, value: { question: text } }] },
    reply: { text },
    checkpoint: {
      thread_id: `thread-${text}`,
      checkpoint_ns: "",
      checkpoint_id: text,
      checkpoint_map: {},
    },
  };
}

/** A result with nothing but values. */
export function bareResult(text: string): RunResult {
  return { values: { answer: text } };
}

/** A result in which `marker` stands in every member, to see that they belong together. */
export function wholeResult(marker: number): RunResult {
  return {
    values: { marker },
    interrupts: { task: [{ id: "i", value: marker }] },
    reply: marker,
    checkpoint: {
      thread_id: "thread",
      checkpoint_ns: "",
      checkpoint_id: String(marker),
      checkpoint_map: null,
    },
  };
}

import type { RunStatus, TerminalRunStatus } from "../wasm/shapes.js";
import { ask } from "../wasm/instance.js";

/**
 * The JSON text that goes on the wire: `JSON.stringify`, with anything that has a `toDict()` (a
 * LangChain message) flattened to `{ ...data, type }`. Undefined for a value that JSON leaves out.
 *
 * @throws `not_serializable`, `too_deep`, with the place in `details.path`
 */
export function serializeWireJson(value: unknown): string | undefined {
  return ask((rules) => rules.wireText(value));
}

/** True for a status that is final. */
export function isTerminalRunStatus(status: RunStatus): status is TerminalRunStatus {
  return ask((rules) => rules.isTerminalStatus(status));
}

// What a store offers the server, and nothing about how. One file per resource in `contract/`; this
// is the place to import all of them from. Names and semantics are those of the agent-protocol
// server that `skein-results` plugs into, so that a change made here can be repeated there.

import type { AssistantRepo } from "./contract/assistants.js";
import type { DeliveryRepo } from "./contract/deliveries.js";
import type { RunRepo } from "./contract/runs.js";
import type { ThreadRepo } from "./contract/threads.js";

export * from "./contract/assistants.js";
export * from "./contract/deliveries.js";
export * from "./contract/errors.js";
export * from "./contract/pagination.js";
export * from "./contract/runs.js";
export * from "./contract/snapshot.js";
export * from "./contract/thread-gate.js";
export * from "./contract/threads.js";
export * from "./contract/wire.js";

/** The one seam between the server and where its resources live. */
export interface SkeinStore {
  assistants: AssistantRepo;
  threads: ThreadRepo;
  runs: RunRepo;
  /** The outbox of run-completion callbacks; a store that has it offers `finalizeWithDelivery` too. */
  deliveries?: DeliveryRepo;
  /** Whether rows outlive the process. Absent means unknown. */
  readonly durable?: boolean;
  /** How many rows a read without a limit returns, so that a caller can tell a full page from all. */
  readonly maxPageSize?: number;
}

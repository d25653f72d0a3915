import type { RunService } from "../engine/run-service.js";
import type { ThreadService } from "../threads/thread-service.js";

/** What the server does, for its own routes and for whatever else is mounted in it. */
export interface HostServices {
  readonly runs: RunService;
  readonly threads: ThreadService;
}

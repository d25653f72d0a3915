import type { TerminalRunStatus } from "../wasm/shapes.js";

/** Every status that a run can end with. */
export const TERMINAL_STATUSES = Object.keys({
  success: true,
  error: true,
  timeout: true,
  interrupted: true,
  cancelled: true,
} satisfies Record<TerminalRunStatus, true>) as readonly TerminalRunStatus[];

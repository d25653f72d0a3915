import type { HostServices } from "../http/services.js";

import type { Caller } from "./caller.js";
import { readsOnly } from "./ownership.js";

/**
 * The services of a caller. What changes something is refused at once where the caller may only read:
 * a deletion begins with the checkpoints, which no scoped store guards.
 */
export function scopedServices({ runs, threads }: HostServices, caller: Caller): HostServices {
  if (caller.access === "write") return { runs, threads };
  const refused = (): Promise<never> => Promise.reject(readsOnly());
  return {
    runs: {
      ...runs,
      start: refused,
      submit: refused,
      resume: refused,
      cancel: refused,
      cancelPaused: refused,
      delete: refused,
    },
    threads: {
      ...threads,
      create: refused,
      updateMetadata: refused,
      delete: refused,
      copy: refused,
      prune: refused,
      updateState: refused,
    },
  };
}

// Faults of repositories that offer what they do not have, or lack what they need.

import type { BrokenStores } from "../testing/broken-store.js";

export const brokenOffers: BrokenStores = {
  "offers a getResult that is undefined": {
    runs: (own) => ({ ...own, getResult: undefined }),
    caughtBy: "a store that keeps results offers recordResult and getResult",
  },
  "offers neither method": {
    runs: () => ({}),
    caughtBy: "a store that keeps results offers recordResult and getResult",
  },
  "offers null in place of a method that it does not have": {
    runs: (own) => ({ ...own, settleRun: null as never }),
    caughtBy: "a method that a store does not have is absent, and nothing else stands in its place",
  },
  "offers a cancelRun that does nothing": {
    runs: (own) => ({ ...own, cancelRun: () => Promise.resolve(null) }),
    caughtBy: "a cancellation ends a run that is in flight",
  },
  "offers an export that is always empty": {
    runs: (own) => ({ ...own, exportResults: () => Promise.resolve([]) }),
    caughtBy: "an export holds the results of the runs that were asked for, and of no others",
  },
  "captures every run that finishes": {
    runs: (own) => ({
      ...own,
      settleRun: async (runId, settle) => {
        const result = settle.status === "success" ? { values: { captured: true } } : undefined;
        return (await own.settleRun?.(runId, { ...(result ? { result } : {}), ...settle })) ?? null;
      },
    }),
    caughtBy: "a run that the server did not mark is never captured, whatever it answers",
  },
};

// What every store promises, run against each of them. Results have a suite of their own in the
// package; here it is only shown that they live and die with the rows, and stay out of them.

import { afterAll, beforeAll, describe } from "vitest";

import type { SkeinStore } from "./contract.js";
import { describeAssistants } from "./store-suite/assistants.js";
import { describeDeliveries } from "./store-suite/deliveries.js";
import { completeStore, type CompleteStore } from "./store-suite/fixtures.js";
import { describeEndsOfRuns } from "./store-suite/run-ends.js";
import { describeReopening } from "./store-suite/reopening.js";
import { describeResults } from "./store-suite/results.js";
import { describeRunsOnNewThreads } from "./store-suite/runs-on-new-threads.js";
import { describeRuns } from "./store-suite/runs.js";
import { describeThreads } from "./store-suite/threads.js";

/** A store that is open. */
export interface OpenStore {
  store: SkeinStore;
  close: () => Promise<void>;
}

/** How the suite gets at the store that it is to judge. */
export interface StoreUnderTest {
  /** Opens the store; a store that lasts is opened again with what it held. */
  open(): Promise<OpenStore>;
  /** Whether what was written is there after closing and opening. */
  lasting: boolean;
}

/** The store as it is at the moment of the call: it is closed and opened in between. */
export type CurrentStore = () => CompleteStore;

/** Defines the suite's tests for a store. */
export function describeStore(name: string, subject: StoreUnderTest): void {
  describe(`the ${name} store`, () => {
    let opened: OpenStore;
    beforeAll(async () => {
      opened = await subject.open();
    });
    afterAll(() => opened.close());
    const current: CurrentStore = () => completeStore(opened.store);

    describeAssistants(current);
    describeThreads(current);
    describeRuns(current);
    describeRunsOnNewThreads(current);
    describeEndsOfRuns(current);
    describeResults(current);
    describeDeliveries(current);
    if (subject.lasting) {
      describeReopening(current, async () => {
        await opened.close();
        opened = await subject.open();
      });
    }
  });
}

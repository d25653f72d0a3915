// A run whose state, reply or question JSON cannot carry ends as a failure that says so, leaves no row, and
// its thread takes the next run (cases F-06, N-08, N-14, N-16).

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openHost, type Host } from "../host.js";
import type { Run } from "../stores/contract.js";
import { storeKinds, type StorePlace } from "../stores/testing/store-places.js";
import { UNWRITABLE } from "../wire-json/values/unwritable.js";

import { LiveSaver } from "./testing/live-saver.js";
import { inTwoSteps } from "./testing/store-wrappers.js";

const mark = (root: string) => ({ root, turn: 0, message: null });

async function runToEnd(
  host: Host,
  threadId: string,
  assistantId: string,
  input: unknown,
): Promise<Run> {
  const { runs } = host.services();
  const { run, outcome } = await runs.submit({ threadId, assistantId, input }, { mark });
  await outcome;
  return runs.get(run.run_id);
}

const VARIANTS = [
  ["in one write", {}],
  ["in two steps", { storeSeen: inTwoSteps }],
] as const;

describe.each(storeKinds)("a run that is kept by $name", (kind) => {
  describe.each(VARIANTS)("and ends %s", (_name, settings) => {
    let place: StorePlace;
    let host: Host;
    beforeAll(async () => {
      place = await kind.open();
      host = await openHost({
        store: place.store,
        saver: new LiveSaver(),
        log: () => {},
        ...settings,
      });
    });
    afterAll(async () => {
      await host.close();
      await place.close();
    });

    it.each(UNWRITABLE)("fails over $told, and the thread goes on", async ({ told, code }) => {
      const reason = code === "too_deep" ? /nested deeper/ : /cannot be written as JSON/;
      for (const [at, path] of Object.entries({
        state: "values.value",
        reply: "reply",
        // LangGraph reads a question before it is anybody's to capture, and may be the one who fails.
        question: null,
      })) {
        const { thread_id } = await host.services().threads.create();
        const failed = await runToEnd(host, thread_id, "unserializable", {
          kind: told,
          place: at,
        });

        expect({ at, status: failed.status }).toEqual({ at, status: "error" });
        if (path !== null) {
          expect(failed.error?.message).toContain(`The value at ${path}`);
          expect(failed.error?.message).toMatch(reason);
        }
        expect(await place.store.runs.getResult(failed.run_id)).toBeNull();
        expect((await place.count()).results).toBe(0);

        const next = await runToEnd(host, thread_id, "echo", { value: "next" });
        expect(next.status).toBe("success");
        expect(await place.store.runs.getResult(next.run_id)).toMatchObject({
          values: { value: "echo: next" },
        });
        expect((await place.count()).results).toBe(1);
        expect((await host.services().threads.get(thread_id)).status).toBe("idle");
        await host.services().threads.delete(thread_id);
      }
    });
  });
});

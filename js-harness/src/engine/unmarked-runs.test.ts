// An ordinary run is never captured (case F-07): before, between and after marked runs of its thread,
// whatever comes out of it, it ends as its graph ended, and there are as many results as marked runs.

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { EACH_PROBLEM } from "../graphs/unserializable.js";
import { openHost, type Host } from "../host.js";
import type { Run, SkeinStore } from "../stores/contract.js";
import { storeKinds, type StorePlace } from "../stores/testing/store-places.js";

import { LiveSaver } from "./testing/live-saver.js";
import { inTwoSteps, withRuns } from "./testing/store-wrappers.js";

const mark = (root: string) => ({ root, turn: 0, message: null });

interface Output {
  assistantId: string;
  input: object;
  /** How a run with this output ends, where nobody captures it. */
  status: "success" | "interrupted" | "error";
}

const OUTPUTS: readonly Output[] = [
  ...EACH_PROBLEM.flatMap((kind) =>
    ["state", "reply"].map((place): Output => {
      return { assistantId: "unserializable", input: { kind, place }, status: "success" };
    }),
  ),
  { assistantId: "echo", input: { value: "plain" }, status: "success" },
  { assistantId: "reply", input: { value: "declared" }, status: "success" },
  { assistantId: "failing", input: { value: "No luck." }, status: "error" },
  { assistantId: "ask", input: { value: "Ship it" }, status: "interrupted" },
];

/** How a store ends a run: what each does of a capture is another thing. */
const WAYS: Readonly<Record<string, (store: SkeinStore) => SkeinStore>> = {
  "in one write": (store) => store,
  "in two steps": inTwoSteps,
};

describe.each(storeKinds)("ordinary runs between marked ones, in $name", (kind) => {
  let place: StorePlace;
  const hosts: Host[] = [];
  beforeEach(async () => {
    place = await kind.open();
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await place.close();
  });

  const open = async (store: SkeinStore): Promise<Host> => {
    const host = await openHost({ store, saver: new LiveSaver(), log: () => undefined });
    hosts.push(host);
    return host;
  };

  /** An ordinary run by the protocol's own way, to its end. */
  const runOrdinary = async (host: Host, url: string, threadId: string, output: Output) => {
    const response = await fetch(`${url}/threads/${threadId}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: output.assistantId, input: output.input }),
    });
    const { run_id } = (await response.json()) as Run;
    return host.services().runs.wait(run_id);
  };

  const runMarked = async (host: Host, threadId: string, value: string): Promise<Run> => {
    const request = { threadId, assistantId: "echo", input: { value } };
    const { run, outcome } = await host.services().runs.submit(request, { mark });
    expect(await outcome).toMatchObject({ status: "success" });
    return run;
  };

  it.each(Object.entries(WAYS))("leave no row of a result, ended %s", async (_name, way) => {
    const captured = new Set<string>();
    const watched = withRuns(way(place.store), (runs) => ({
      recordResult: async (runId, result) => {
        captured.add(runId);
        await runs.recordResult?.(runId, result);
      },
      ...(runs.settleRun && {
        settleRun: async (runId, settle) => {
          if (settle.result !== undefined) captured.add(runId);
          return (await runs.settleRun?.(runId, settle)) ?? null;
        },
      }),
    }));
    const host = await open(watched);
    const { url } = await host.listen();
    const { thread_id: threadId } = await host.services().threads.create();
    const marked: { runId: string; result: unknown }[] = [];

    const requireResultsOfMarked = async (): Promise<void> => {
      expect((await place.count()).results).toBe(marked.length);
      expect(captured).toEqual(new Set(marked.map(({ runId }) => runId)));
      for (const { runId, result } of marked) {
        expect(await place.store.runs.getResult(runId)).toEqual(result);
      }
    };

    for (const [index, output] of OUTPUTS.entries()) {
      const ended = await runOrdinary(host, url, threadId, output);
      expect([output, ended?.status]).toEqual([output, output.status]);
      expect(await place.store.runs.getResult(String(ended?.run_id))).toBeNull();
      await requireResultsOfMarked();

      const { run_id: runId } = await runMarked(host, threadId, `turn ${index}`);
      const result = await place.store.runs.getResult(runId);
      expect(result?.values).toMatchObject({ value: `echo: turn ${index}` });
      marked.push({ runId, result });
      await requireResultsOfMarked();
    }
    // The last one of all is an ordinary one, and nobody changes its end.
    const last = await runOrdinary(host, url, threadId, OUTPUTS[0] as Output);
    await requireResultsOfMarked();
    expect(await place.store.runs.get(String(last?.run_id))).toEqual(last);
    expect((await place.count()).runs).toBe(2 * OUTPUTS.length + 1);
  });

  it("end the same on a store that keeps no results", async () => {
    const { recordResult: _record, getResult: _get, ...runs } = inTwoSteps(place.store).runs;
    const host = await open({ ...place.store, runs });
    const { url } = await host.listen();
    const { thread_id: threadId } = await host.services().threads.create();

    for (const output of OUTPUTS) {
      const ended = await runOrdinary(host, url, threadId, output);
      expect([output, ended?.status]).toEqual([output, output.status]);
    }

    expect(await place.count()).toMatchObject({ runs: OUTPUTS.length, results: 0 });
  });
});

// A cancellation and the end of a run in both orders (case F-02), in every gap that a store leaves between
// the two: the run has one end, and the task shows that one, now and after the host was opened again.

import type { Task } from "@a2a-js/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import { Gate, inTwoSteps, withRuns } from "../engine/testing/store-wrappers.js";
import type { RunRepo, SkeinStore } from "../stores/contract.js";

import { cancelTask, getTask, listTasks, send, sendAndGo, stateOf, wireParts } from "./client.js";
import { serveAgent, type ServedAgent } from "./testing/agent.js";
import { refusalOf } from "./testing/json-rpc.js";

interface Gap {
  store: (store: SkeinStore, gate: Gate) => SkeinStore;
  winner: "the cancellation" | "the end";
  /** Whether the run keeps a result: where the cancellation won nobody sees it. */
  isKept: boolean;
}

const around =
  (step: "settleRun" | "recordResult", when: "before" | "after"): Gap["store"] =>
  (store, gate) =>
    withRuns(store, (runs) => {
      const own = runs[step] as (...given: unknown[]) => Promise<never>;
      const held = async (...given: unknown[]): Promise<never> => {
        if (when === "before") await gate.pass();
        const answer = await own(...given);
        if (when === "after") await gate.pass();
        return answer;
      };
      return { [step]: held };
    });

const twoSteps =
  (gap: Gap["store"]): Gap["store"] =>
  (store, gate) =>
    gap(inTwoSteps(store), gate);

/** The status write of the second step; that of a start and of a cancellation goes through. */
const afterStatus: Gap["store"] = (store, gate) =>
  withRuns(store, (runs) => ({
    setStatus: async (...write) => {
      const row = await runs.setStatus(...write);
      if (write[1] === "success") await gate.pass();
      return row;
    },
  }));

const GAPS: Readonly<Record<string, Gap>> = {
  "before the one write": {
    store: around("settleRun", "before"),
    winner: "the cancellation",
    isKept: false,
  },
  "after the one write": { store: around("settleRun", "after"), winner: "the end", isKept: true },
  "before the capture of two steps": {
    store: twoSteps(around("recordResult", "before")),
    winner: "the cancellation",
    isKept: true,
  },
  "between capture and status": {
    store: twoSteps(around("recordResult", "after")),
    winner: "the cancellation",
    isKept: true,
  },
  "after the status of two steps": {
    store: twoSteps(afterStatus),
    winner: "the end",
    isKept: true,
  },
};

/** Who cancels: a client of the protocol, or a caller of the server's own run. */
const CANCELLERS = ["the task", "the run"] as const;

describe.each(hostKinds)("a cancellation and the end of a task on $name", (kind) => {
  let place: HostPlace;
  beforeAll(async () => {
    place = await kind.prepare();
  });
  afterAll(() => place.remove());

  const gates: Gate[] = [];
  const opened: ServedAgent[] = [];
  afterEach(async () => {
    // A test that failed half way has left them shut, and a host waits for its runs.
    for (const gate of gates.splice(0)) gate.open();
    for (const { host } of opened.splice(0)) await host.close();
  });
  const newGate = (): Gate => {
    const gate = new Gate();
    gates.push(gate);
    return gate;
  };

  const serve = async (
    assistantId: string,
    storeSeen: (store: SkeinStore) => SkeinStore,
  ): Promise<ServedAgent> => {
    const agent = await serveAgent(place, { assistantId }, { storeSeen });
    opened.push(agent);
    return agent;
  };

  /** The run's row, and the task as it is read and as it is listed. */
  const seen = async ({ client, host }: ServedAgent, { id, contextId }: Task) => {
    const read = await getTask(client, id);
    const { tasks } = await listTasks(client, { contextId, includeArtifacts: true });
    expect(tasks.find((task) => task.id === id)).toEqual(read);
    return { row: await host.store.runs.get(id), task: read };
  };

  /** What was seen when the one had won is what is seen for ever. */
  const requireForGood = async (
    agent: ServedAgent,
    before: Awaited<ReturnType<typeof seen>>,
    isKept: boolean,
  ): Promise<void> => {
    const requireSame = async (served: ServedAgent) => {
      expect(await seen(served, before.task)).toEqual(before);
      const result = (await served.host.store.runs.getResult?.(before.task.id)) ?? null;
      expect(result !== null).toBe(isKept);
    };
    await requireSame(agent);
    if (!kind.durable) return;
    await agent.host.close();
    await requireSame(await serve("echo", (store) => store));
  };

  const cancelBy = async (by: string, { client, host }: ServedAgent, id: string) => {
    if (by === "the task") await cancelTask(client, id);
    else await host.services().runs.cancel(id);
  };

  const table = Object.entries(GAPS).flatMap(([name, gap]) =>
    CANCELLERS.map((by) => ({ name, by, ...gap })),
  );

  it.each(table)("$name, cancelled by $by: $winner wins", async ({ store, winner, isKept, by }) => {
    const gate = newGate();
    const agent = await serve("echo", (own) => store(own, gate));
    const task = await sendAndGo(agent.client, "first");
    await gate.reached;

    const isCancelled = winner === "the cancellation";
    if (isCancelled || by === "the run") await cancelBy(by, agent, task.id);
    else expect(await refusalOf(cancelTask(agent.client, task.id))).toMatchObject({ code: -32002 });
    const settled = await seen(agent, task);
    gate.open();
    // It begins when the first run has let go of the thread, and has done all that it does.
    const next = await send(agent.client, "second", { contextId: task.contextId });

    expect(wireParts(next)).toEqual([{ data: { value: "echo: second" } }]);
    expect(settled.row?.status).toBe(isCancelled ? "cancelled" : "success");
    expect(stateOf(settled.task)).toBe(isCancelled ? "CANCELED" : "COMPLETED");
    expect(wireParts(settled.task)).toEqual(
      isCancelled ? [] : [{ data: { value: "echo: first" } }],
    );
    await requireForGood(agent, settled, isKept);
  });

  it.each(Object.entries(GAPS).filter(([, { winner }]) => winner === "the cancellation"))(
    "%s of a run that asks: no question is shown, and the task takes no answer",
    async (_name, { store, isKept }) => {
      const gate = newGate();
      const agent = await serve("ask", (own) => store(own, gate));
      const task = await sendAndGo(agent.client, "Ship it");
      await gate.reached;

      await cancelTask(agent.client, task.id);
      const settled = await seen(agent, task);
      gate.open();
      const next = await send(agent.client, "Ship that", { contextId: task.contextId });

      expect(stateOf(next)).toBe("INPUT_REQUIRED");
      expect(stateOf(settled.task)).toBe("CANCELED");
      expect(settled.task.status?.message).toBeUndefined();
      const answer = send(agent.client, "yes", { taskId: task.id, contextId: task.contextId });
      expect(await refusalOf(answer)).toMatchObject({ code: -32004 });
      await requireForGood(agent, settled, isKept);
    },
  );

  it("the end wins while the cancellation is on its way: it is told that it came too late", async () => {
    const [ending, cancelling] = [newGate(), newGate()];
    const held = (runs: RunRepo): Partial<RunRepo> => ({
      cancelRun: async (runId) => {
        await cancelling.pass();
        return (await runs.cancelRun?.(runId)) ?? null;
      },
    });
    const agent = await serve("echo", (store) =>
      around("settleRun", "before")(withRuns(store, held), ending),
    );
    const task = await sendAndGo(agent.client, "first");
    await ending.reached;

    const refused = refusalOf(cancelTask(agent.client, task.id));
    await cancelling.reached;
    ending.open();
    await agent.host.services().runs.wait(task.id);
    const settled = await seen(agent, task);
    cancelling.open();

    expect(await refused).toMatchObject({ code: -32002 });
    expect(stateOf(settled.task)).toBe("COMPLETED");
    expect(wireParts(settled.task)).toEqual([{ data: { value: "echo: first" } }]);
    await requireForGood(agent, settled, true);
  });
});

import { randomUUID } from "node:crypto";

import { beforeAll, describe, expect, it } from "vitest";

import type { Assistant, NewThread, RunCreate } from "../contract.js";
import type { CurrentStore } from "../store-suite.js";

import { refusal, unknownId } from "./fixtures.js";

export function describeRunsOnNewThreads(current: CurrentStore): void {
  describe("a run with a thread of its own", () => {
    let assistant: Assistant;
    let assistant_id: string;
    beforeAll(async () => {
      assistant = await current().assistants.create({
        assistant_id: `a "quoted" $1 ${randomUUID()}`,
        graph_id: "graph \\ 'of' it",
        config: { configurable: { model: "small" } },
      });
      ({ assistant_id } = assistant);
    });

    it("is created with it in one step, and neither where there is such a thread", async () => {
      const { runs, threads } = current();
      const [thread_id, run_id] = [randomUUID(), randomUUID()];
      const input = { thread_id, run_id, assistant_id, kwargs: { input: "\ud83d\u0000" } };

      const created = await runs.createOnNewThread(input, { metadata: { owner: "a" }, ttl: 0 });
      const again = await runs.createOnNewThread({ ...input, run_id: randomUUID() });

      expect(created?.run).toMatchObject({ run_id, thread_id, status: "pending" });
      expect(await runs.listByThread(thread_id)).toEqual([created?.run]);
      expect(await runs.getKwargs(run_id)).toEqual(input.kwargs);
      expect(again).toBeNull();
      expect(await threads.get(thread_id)).toMatchObject({ status: "idle", values: {} });
      const expired = { now: "2099-01-01T00:00:00.000Z", limit: 1_000 };
      expect(await threads.listExpired(expired)).toContain(thread_id);
    });

    it("names its assistant's graph with the thread, whatever else is asked for there", async () => {
      const { runs, threads, assistants } = current();
      const thread_id = unknownId();
      const metadata = { owner: "a", graph_id: "pretended" };

      const created = await runs.createOnNewThread({ thread_id, assistant_id }, { metadata });
      Object.assign(created?.assistant ?? {}, { graph_id: "changed by whoever was answered" });

      const names = { graph_id: assistant.graph_id, assistant_id };
      expect((await threads.get(thread_id))?.metadata).toEqual({ owner: "a", ...names });
      expect(await assistants.get(assistant_id)).toEqual(assistant);
      const other = await runs.createOnNewThread({ thread_id: unknownId(), assistant_id });
      expect(other?.assistant).toEqual(assistant);
    });

    it("is not created for an unknown assistant, and neither is the thread", async () => {
      const { runs, threads, assistants } = current();
      const gone = await assistants.create({ graph_id: "echo" });
      await assistants.delete(gone.assistant_id);
      for (const unknown of [unknownId(), gone.assistant_id]) {
        const input = { thread_id: unknownId(), run_id: unknownId(), assistant_id: unknown };

        await expect(runs.createOnNewThread(input)).rejects.toEqual(refusal(404));

        expect(await threads.get(input.thread_id)).toBeNull();
        expect(await runs.get(input.run_id)).toBeNull();
      }
    });

    it("leaves no thread behind where it is refused", async () => {
      const { runs, threads } = current();
      const broken: [Partial<RunCreate>, NewThread?][] = [
        [{ run_id: "" }],
        [{ run_id: "r\u0000" }],
        [{ assistant_id: "" }],
        [{ metadata: { a: "\u0000" } }],
        [{}, { metadata: { a: "\ud83d" } }],
        [{}, { ttl: -1 }],
      ];
      for (const [run, thread] of broken) {
        const thread_id = unknownId();
        const input = { thread_id, assistant_id, ...run };
        await expect(runs.createOnNewThread(input, thread)).rejects.toEqual(refusal(400));
        expect(await threads.get(thread_id)).toBeNull();
        expect(await runs.listByThread(thread_id)).toEqual([]);
      }
    });

    it("is created once, however many ask for the thread at the same time", async () => {
      const { runs } = current();
      const input = { thread_id: unknownId(), assistant_id };

      const answers = await Promise.all(
        Array.from({ length: 20 }, () => runs.createOnNewThread(input)),
      );

      const created = answers.filter((answer) => answer !== null);
      expect(created).toHaveLength(1);
      expect(await runs.listByThread(input.thread_id)).toEqual([created[0]?.run]);
    });
  });
}

// Run ids of every kind (case Q-06): each is kept on every store and is nobody else's, or is refused on
// every store before anything of the run is there.

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Host } from "../host.js";

import { hostKinds, type HostPlace } from "./testing/hosts.js";

const LONG = "x".repeat(299);

/** Pairs of them are close to each other. */
const KEPT = [
  ...["a", "A", "a ", " a", "a\tb", "a\nb", "r'--", '"r"', "r;", "%", "_", "\\", "\\u0000", "$1"],
  ...["null", "0", "00", "😀", "😀😀", "é", "e\u0301", `${LONG}y`, `${LONG}z`],
];
const REFUSED = ["a\u0000b", "a\u0000c", "\u0000", "half\ud83d", "\ude00", "", "x".repeat(513)];

describe.each(hostKinds)("run ids on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  beforeEach(async () => {
    place = await kind.prepare();
    host = await place.open();
  });
  afterEach(async () => {
    await host.close();
    await place.remove();
  });

  const submit = (runId: string, threadId: string | null) =>
    host
      .services()
      .runs.submit(
        { threadId, runId, assistantId: "echo", input: { value: runId } },
        { mark: (root) => ({ root, turn: 0, message: null }) },
      );
  const answer = async (runId: string): Promise<string> => {
    const { thread_id: threadId } = await host.services().threads.create();
    await (
      await submit(runId, threadId)
    ).outcome;
    return threadId;
  };
  const result = async (runId: string): Promise<unknown> =>
    (await host.store.runs.getResult?.(runId))?.values;

  it("are kept apart, also when the store is opened again and when one of them is erased", async () => {
    await Promise.all(KEPT.map(answer));
    if (kind.durable) {
      await host.close();
      host = await place.open();
    }

    for (const id of KEPT) {
      expect((await host.services().runs.get(id)).run_id).toBe(id);
      expect(await result(id)).toEqual({ value: `echo: ${id}` });
    }
    for (const [index, id] of KEPT.entries()) {
      await host.services().runs.delete(id);
      expect(await result(id)).toBeUndefined();
      for (const other of KEPT.slice(index + 1)) expect(await result(other)).toBeDefined();
    }
  });

  it("that no store could hold are refused, with nothing created, and are nobody's", async () => {
    const threadIds = [await answer("a"), await answer("half\ufffd"), await answer("\ufffd")];
    const before = [await result("a"), await host.store.threads.count({})];

    for (const id of REFUSED) {
      for (const threadId of [threadIds[0] ?? "", null]) {
        await expect(submit(id, threadId)).rejects.toMatchObject({ status: 400 });
      }
      expect(await host.store.runs.get(id)).toBeNull();
      await host.store.runs.recordResult?.(id, { values: { late: id } });
      expect(await host.store.runs.getResult?.(id)).toBeNull();
      await host.store.runs.delete(id);
    }

    expect([await result("a"), await host.store.threads.count({})]).toEqual(before);
    for (const threadId of threadIds) {
      const [run, ...others] = await host.store.runs.listByThread(threadId);
      expect(others).toEqual([]);
      expect(await result(String(run?.run_id))).toEqual({ value: `echo: ${run?.run_id}` });
    }
  });
});

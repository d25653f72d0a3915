import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import type { CurrentStore } from "../store-suite.js";

import { refusal, unknownId } from "./fixtures.js";

export function describeAssistants(current: CurrentStore): void {
  describe("assistants", () => {
    it("reads an assistant back as it was answered at its creation", async () => {
      const { assistants } = current();
      const created = await assistants.create({
        graph_id: "echo",
        description: "Says it again",
        config: { recursion_limit: 7 },
        context: { tenant: "a" },
        metadata: { tier: "free" },
      });

      expect(created).toMatchObject({ graph_id: "echo", name: "echo", version: 1 });
      expect(await assistants.get(created.assistant_id)).toEqual(created);
    });

    it("leaves a description out that was not given", async () => {
      const { assistants } = current();
      const { assistant_id } = await assistants.create({ graph_id: "echo" });

      expect(await assistants.get(assistant_id)).not.toHaveProperty("description");
    });

    it("refuses an assistant id that exists", async () => {
      const { assistants } = current();
      const { assistant_id } = await assistants.create({ graph_id: "echo" });

      await expect(assistants.create({ assistant_id, graph_id: "other" })).rejects.toEqual(
        refusal(409),
      );
      expect(await assistants.get(assistant_id)).toMatchObject({ graph_id: "echo" });
    });

    it("finds assistants by graph, name and metadata, in pages that the count agrees with", async () => {
      const { assistants } = current();
      const graph_id = randomUUID();
      const ids: string[] = [];
      for (const name of ["a", "b", "c"]) {
        const { assistant_id } = await assistants.create({
          assistant_id: `${graph_id}-${name}`,
          graph_id,
          name,
          metadata: { team: { name: "blue", members: [name, "all"] } },
        });
        ids.push(assistant_id);
      }
      const found = async (query: Parameters<typeof assistants.search>[0]) =>
        (await assistants.search(query)).map(({ assistant_id }) => assistant_id);

      expect(await found({ graph_id })).toEqual(ids);
      expect(await found({ graph_id, name: "b" })).toEqual([ids[1]]);
      expect(await found({ metadata: { team: { members: ["c"] } }, graph_id })).toEqual([ids[2]]);
      expect(await found({ graph_id, limit: 1, offset: 1 })).toEqual([ids[1]]);
      expect(await assistants.count({ graph_id, limit: 1 })).toBe(3);
      expect(await assistants.count({ graph_id, metadata: { team: { name: "red" } } })).toBe(0);
    });

    it("refuses texts that no store could search for, and a search for them", async () => {
      const { assistants } = current();
      const refused = [
        () => assistants.create({ graph_id: "echo", name: "a\u0000" }),
        () => assistants.create({ graph_id: "echo", description: "\ud83d" }),
        () => assistants.create({ graph_id: "a\u0000" }),
        () => assistants.search({ graph_id: "a\u0000" }),
        () => assistants.count({ name: "\ud83d" }),
        () => assistants.search({ metadata: { a: "\u0000" } }),
      ];

      for (const request of refused) await expect(request()).rejects.toEqual(refusal(400));
    });

    it("deletes an assistant, and nothing for an unknown one", async () => {
      const { assistants } = current();
      const { assistant_id } = await assistants.create({ graph_id: "echo" });

      await assistants.delete(assistant_id);
      await assistants.delete(unknownId());

      expect(await assistants.get(assistant_id)).toBeNull();
    });
  });
}

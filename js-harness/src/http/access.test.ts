// Callers over HTTP: each has a world of their own, and cannot tell that there is another.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bearerTokens } from "../auth/caller.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";

const authenticate = bearerTokens({
  ann: { tenant: "acme", user: "ann", access: "write" },
  "ann-reading": { tenant: "acme", user: "ann", access: "read" },
  bob: { tenant: "acme", user: "bob", access: "write" },
  "ann-elsewhere": { tenant: "globex", user: "ann", access: "write" },
});

/** Every route that names a thread or a run, with a body where it takes one. */
const ROUTES: [method: string, path: string, body?: unknown][] = [
  ["GET", "/threads/:thread"],
  ["PATCH", "/threads/:thread", { metadata: { mine: true } }],
  ["DELETE", "/threads/:thread"],
  ["POST", "/threads/:thread/copy"],
  ["GET", "/threads/:thread/state"],
  ["POST", "/threads/:thread/state", { values: { value: "mine" } }],
  ["POST", "/threads/:thread/state/checkpoint", { checkpoint: { checkpoint_id: "c1" } }],
  ["GET", "/threads/:thread/state/c1"],
  ["GET", "/threads/:thread/history"],
  ["POST", "/threads/:thread/history", {}],
  ["GET", "/threads/:thread/runs"],
  ["POST", "/threads/:thread/runs", { assistant_id: "echo", input: { value: "mine" } }],
  ["POST", "/threads/:thread/runs/wait", { assistant_id: "echo", input: { value: "mine" } }],
  ["POST", "/threads/:thread/runs/stream", { assistant_id: "echo", input: { value: "mine" } }],
  ["GET", "/threads/:thread/runs/:run"],
  ["DELETE", "/threads/:thread/runs/:run"],
  ["POST", "/threads/:thread/runs/:run/cancel"],
  ["POST", "/threads/:thread/runs/:run/cancel?action=rollback"],
  ["GET", "/threads/:thread/runs/:run/join"],
  ["GET", "/threads/:thread/runs/:run/stream"],
  ["POST", "/threads/prune", { thread_ids: [":thread"], strategy: "delete" }],
  ["POST", "/threads/prune", { thread_ids: [":thread"], strategy: "keep_latest" }],
  ["POST", "/threads/search", { ids: [":thread"] }],
  ["POST", "/threads/count", { ids: [":thread"] }],
  ["POST", "/threads", { thread_id: ":thread", if_exists: "do_nothing" }],
];

/** Those that create the thread that they name where there is none. */
const CREATES = new Set(["POST /threads"]);
const READS = /^(GET )|\/(search|count|history|checkpoint)$/;

describe.each(hostKinds)("callers of a host on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  let url: string;
  let found: { thread: string; run: string };
  beforeAll(async () => {
    place = await kind.prepare();
    host = await place.open({ authenticate });
    ({ url } = await host.listen());
    const { thread_id } = (await json("ann", "POST", "/threads", {})) as { thread_id: string };
    const run = { assistant_id: "echo", input: { value: "secret" } };
    const { run_id } = (await json("ann", "POST", `/threads/${thread_id}/runs`, run)) as {
      run_id: string;
    };
    await json("ann", "GET", `/threads/${thread_id}/runs/${run_id}/join`);
    found = { thread: thread_id, run: run_id };
  });
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  const ask = async (token: string | null, method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const json = async (token: string, method: string, path: string, body?: unknown) => {
    const { status, text } = await ask(token, method, path, body);
    expect(status, text).toBe(200);
    return JSON.parse(text) as unknown;
  };
  const at = (text: string, ids: { thread: string; run: string }): string =>
    text.replaceAll(":thread", ids.thread).replaceAll(":run", ids.run);
  const answered = async (
    token: string,
    [method, path, body]: (typeof ROUTES)[number],
    ids: { thread: string; run: string },
  ) => {
    const asked: unknown = body === undefined ? body : JSON.parse(at(JSON.stringify(body), ids));
    const { status, text } = await ask(token, method, at(path, ids), asked);
    return { status, text: text.replaceAll(ids.thread, "<thread>").replaceAll(ids.run, "<run>") };
  };
  const everything = async () => ({
    thread: await host.store.threads.get(found.thread),
    runs: await host.store.runs.listByThread(found.thread),
    state: await host.services().threads.getState(found.thread),
  });
  const unknown = () => ({ thread: crypto.randomUUID(), run: crypto.randomUUID() });

  it.each([null, "nobody", "ann ann", "__proto__", "constructor"])(
    "are refused without the token of one (%s)",
    async (token) => {
      for (const [method, path, body] of ROUTES) {
        const { status, text, headers } = await ask(token, method, at(path, found), body);
        expect(status, `${method} ${path}`).toBe(401);
        expect(text).not.toContain("secret");
        expect(headers.get("www-authenticate")).toBe("Bearer");
      }
      expect((await ask(token, "GET", "/ok")).status).toBe(200);
    },
  );

  it("find what is their own", async () => {
    const thread = await json("ann", "GET", `/threads/${found.thread}`);
    expect(thread).toMatchObject({ metadata: { owner: { tenant: "acme", user: "ann" } } });
    const runs = await json("ann-reading", "GET", `/threads/${found.thread}/runs`);
    expect(runs).toMatchObject([{ run_id: found.run, metadata: { owner: { user: "ann" } } }]);
    expect(await json("ann", "POST", "/threads/search", {})).toHaveLength(1);
  });

  describe.each(["bob", "ann-elsewhere"])("%s", (stranger) => {
    it.each(ROUTES)("is answered by %s %s as for an unknown one", async (method, path, body) => {
      const before = await everything();
      const route: (typeof ROUTES)[number] = [method, path, body];

      const foreign = await answered(stranger, route, found);

      expect(foreign.text).not.toContain("secret");
      if (CREATES.has(`${method} ${path}`)) expect(foreign.status).toBe(404);
      else expect(foreign).toEqual(await answered(stranger, route, unknown()));
      expect(await everything()).toEqual(before);
    });

    it("is answered as for an unknown run by a thread of their own with it", async () => {
      const own = (await json(stranger, "POST", "/threads", {})) as { thread_id: string };
      for (const route of ROUTES.filter(([, path]) => path.includes(":run"))) {
        const foreign = await answered(stranger, route, { ...found, thread: own.thread_id });
        const none = await answered(stranger, route, { ...unknown(), thread: own.thread_id });
        expect(foreign).toEqual(none);
        expect(foreign.status).toBe(404);
      }
    });

    it("lists nothing of it", async () => {
      const searches = [
        {},
        { metadata: { owner: { tenant: "acme", user: "ann" } } },
        { metadata: { graph_id: "echo" }, limit: 100 },
      ];
      for (const search of searches) {
        const { text } = await ask(stranger, "POST", "/threads/search", search);
        expect(text).not.toContain(found.thread);
      }
    });

    it("cannot name another owner for what they create", async () => {
      const owner = { tenant: "acme", user: "ann" };
      const body = { assistant_id: "echo", input: { value: "mine" }, metadata: { owner } };
      const thread = (await json(stranger, "POST", "/threads", { metadata: { owner } })) as {
        thread_id: string;
      };
      const runs = [
        await json(stranger, "POST", "/runs", body),
        await json(stranger, "POST", `/threads/${thread.thread_id}/runs`, body),
        ...((await json(stranger, "POST", "/runs/batch", [body, body])) as unknown[]),
      ] as { run_id: string; thread_id: string }[];
      await json(stranger, "PATCH", `/threads/${thread.thread_id}`, { metadata: { owner } });

      for (const { run_id, thread_id } of runs) {
        await host.services().runs.wait(run_id);
        expect((await ask("ann", "GET", `/threads/${thread_id}/runs/${run_id}`)).status).toBe(404);
        expect((await ask("ann", "GET", `/threads/${thread_id}`)).status).toBe(404);
        expect((await ask(stranger, "GET", `/threads/${thread_id}`)).status).toBe(200);
      }
    });
  });

  it("who may only read are refused every change with 403, of their own and of the unknown alike", async () => {
    const before = await everything();

    for (const route of ROUTES) {
      if (READS.test(`${route[0]} ${route[1]}`)) continue;
      const own = await answered("ann-reading", route, found);
      expect(own.status, `${route[0]} ${route[1]}: ${own.text}`).toBe(403);
      expect(own.text).not.toContain("secret");
    }
    for (const path of ["/runs", "/runs/wait", "/runs/stream"]) {
      const run = { assistant_id: "echo", input: { value: "x" } };
      expect((await ask("ann-reading", "POST", path, run)).status).toBe(403);
    }
    const batch = [{ assistant_id: "echo" }];
    expect((await ask("ann-reading", "POST", "/runs/batch", batch)).status).toBe(403);

    expect(await everything()).toEqual(before);
  });

  it("who own a thread copy and delete it, and the copy is theirs", async () => {
    const { thread_id } = (await json("ann", "POST", `/threads/${found.thread}/copy`)) as {
      thread_id: string;
    };

    expect((await ask("bob", "GET", `/threads/${thread_id}`)).status).toBe(404);
    expect(await json("ann", "GET", `/threads/${thread_id}/runs`)).toHaveLength(1);
    expect((await ask("bob", "DELETE", `/threads/${thread_id}`)).status).toBe(404);
    expect((await ask("ann", "DELETE", `/threads/${thread_id}`)).status).toBe(204);
    expect((await ask("ann", "GET", `/threads/${thread_id}`)).status).toBe(404);
  });
});

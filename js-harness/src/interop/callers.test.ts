// Several callers of one agent: the adapter asks the host for each request as that caller, and what is
// another's reads like what does not exist.

import type { Task } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  type CallInterceptor,
  type Client,
} from "@a2a-js/sdk/client";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { UserBuilder } from "@a2a-js/sdk/server/express";
import { createA2AHandler, messageText, type A2AHost } from "skein-results/a2a";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { a2aHost, cardOf, serveA2A } from "../a2a/mount.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host, Mount } from "../host.js";

import { cancelTask, getTask, send } from "./client.js";
import { rowsOf } from "./testing/agent.js";
import { refusalOf } from "./testing/json-rpc.js";

/** The host as its owner of threads may use it; the owner stands in their metadata. */
function hostOf(host: Host, owner: string): A2AHost {
  const { runs, threads } = host.store;
  const ownThread = async (threadId: string) => {
    const thread = await threads.get(threadId);
    return thread?.metadata?.["owner"] === owner ? thread : null;
  };
  // It knows no tasks, so that they are read run by run, and makes its threads itself.
  const hosted: A2AHost = a2aHost(host, { assistantId: "echo" });
  delete hosted.taskPage;
  delete hosted.startOnNewThread;
  return {
    ...hosted,
    runs: {
      ...runs,
      get: async (runId) => {
        const run = await runs.get(runId);
        return run && (await ownThread(run.thread_id)) ? run : null;
      },
    },
    threads: {
      get: ownThread,
      // A host that issues all contexts itself.
      create: (contextId) => {
        if (contextId !== undefined) {
          throw new RequestMalformedError({ message: "There is no such context." });
        }
        return host.services().threads.create({ metadata: { owner } });
      },
    },
  };
}

/** The token is the name: who may use which is not this test's matter. */
const byToken: UserBuilder = ({ headers }) =>
  Promise.resolve({
    isAuthenticated: true,
    userName: (headers.authorization ?? "Bearer nobody").slice("Bearer ".length),
  });

const ownersMount: Mount = (app, host, url) => {
  const card = cardOf("echo", url);
  const handler = createA2AHandler({
    card,
    hostFor: ({ user, tenant }) => hostOf(host, `${tenant ?? ""}/${user?.userName ?? ""}`),
    toInput: (message) => ({ value: messageText(message) }),
  });
  serveA2A(app, handler, card, byToken);
};

function connectAs(url: string, name: string): Promise<Client> {
  const interceptor: CallInterceptor = {
    before: (call) => {
      const authorization = { authorization: `Bearer ${name}` };
      call.options = {
        ...call.options,
        serviceParameters: { ...call.options?.serviceParameters, ...authorization },
      };
      return Promise.resolve();
    },
    after: () => Promise.resolve(),
  };
  const clientConfig = { interceptors: [interceptor] };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { clientConfig });
  return new ClientFactory(options).createFromUrl(url);
}

describe.each(hostKinds)("another caller's task on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  let url: string;
  let mine: Client;
  let theirs: Client;
  let task: Task;
  beforeAll(async () => {
    place = await kind.prepare();
    host = await place.open({ mount: ownersMount });
    ({ url } = await host.listen());
    mine = await connectAs(url, "mine");
    theirs = await connectAs(url, "theirs");
    task = await send(theirs, "secret");
  });
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  it("is there for its own caller", async () => {
    expect(await getTask(theirs, task.id)).toEqual(task);
    expect((await send(theirs, "more", { contextId: task.contextId })).contextId).toBe(
      task.contextId,
    );
  });

  it.each<[string, (client: Client, taskId: string) => Promise<unknown>]>([
    ["get", (client, id) => getTask(client, id)],
    ["cancel", (client, id) => cancelTask(client, id)],
    ["continue", (client, taskId) => send(client, "hello", { taskId })],
  ])("reads like an unknown one (%s)", async (_name, request) => {
    const before = await rowsOf(host);

    const foreign = await refusalOf(request(mine, task.id));

    expect(foreign.code).toBe(-32001);
    expect(foreign).toEqual(await refusalOf(request(mine, "unknown")));
    expect(await rowsOf(host)).toEqual(before);
    expect(await getTask(theirs, task.id)).toEqual(task);
  });

  it("reads like an unknown one in a context of one's own", async () => {
    const own = await send(mine, "hello");
    const place = { contextId: own.contextId };

    const foreign = await refusalOf(send(mine, "hello", { ...place, taskId: task.id }));

    expect(foreign).toEqual(await refusalOf(send(mine, "hello", { ...place, taskId: "unknown" })));
  });

  it("is in a context that reads like an unknown one, and is not entered", async () => {
    const before = await rowsOf(host);

    const foreign = await refusalOf(send(mine, "hello", { contextId: task.contextId }));

    expect(foreign.code).toBe(-32602);
    expect(foreign).toEqual(await refusalOf(send(mine, "hello", { contextId: "unknown" })));
    expect(await rowsOf(host)).toEqual(before);
  });

  it("may be the same user's, in another tenant", async () => {
    const asked = { tenant: "other", id: task.id };
    expect(await refusalOf(theirs.getTask(asked))).toMatchObject({ code: -32001 });
  });
});

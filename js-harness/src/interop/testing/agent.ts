// An agent that is served over HTTP, and the official client of it.

import type { Message } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { messageText } from "skein-results/a2a";

import { a2aMount, type A2AAgent } from "../../a2a/mount.js";
import type { HostPlace } from "../../engine/testing/hosts.js";
import type { Host, HostSettings } from "../../host.js";
import { connect } from "../client.js";

export interface ServedAgent {
  host: Host;
  /** Where the host is served; the card is below it. */
  url: string;
  client: Client;
}

/** Serves an agent on a host that is opened for it. */
export async function serveAgent(
  place: Pick<HostPlace, "open">,
  agent: A2AAgent,
  settings: HostSettings = {},
): Promise<ServedAgent> {
  const host = await place.open({ log: () => undefined, ...settings, mount: a2aMount(agent) });
  const { url } = await host.listen();
  return { host, url, client: await connect(url) };
}

/** The input that a message spells out as JSON. */
export function jsonInput(message: Message): unknown {
  return JSON.parse(messageText(message));
}

/** All that a host keeps: its threads, and their runs. */
export async function rowsOf({ store }: Host): Promise<{ threads: string[]; runs: string[] }> {
  const threads = (await store.threads.list()).map(({ thread_id }) => thread_id);
  const runs = await Promise.all(threads.map((threadId) => store.runs.listByThread(threadId)));
  return { threads, runs: runs.flat().map(({ run_id }) => run_id) };
}

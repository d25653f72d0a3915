// One of the hosts that work on the same threads, until it is told to stop: on a database, behind a pooler
// if there is one. Sends how many moves it has made of each kind, and what went wrong that must not.

import { openPostgresHost } from "../../host.js";
import { isRefusal, MOVES } from "../moves.js";

const [url = "", poolerUrl = "", ...threads] = process.argv.slice(2);
const MOVERS = 6;

const complaints: string[] = [];
const made: Record<string, number> = {};
const refused: Record<string, number> = {};
const host = await openPostgresHost({
  url,
  ...(poolerUrl ? { poolerUrl } : {}),
  shutdownGraceMs: 2_000,
  log: (message, error) => {
    if (!isRefusal(error)) complaints.push(`${message} ${reasonOf(error)}`);
  },
});
let isStopped = false;
process.on("message", () => (isStopped = true));
process.send?.({ ready: true });

const playground = { host, threads, below: (limit: number) => Math.floor(Math.random() * limit) };
const names = Object.keys(MOVES);

async function move(): Promise<void> {
  while (!isStopped) {
    const name = names[playground.below(names.length)] ?? "";
    try {
      await MOVES[name]?.(playground);
      made[name] = (made[name] ?? 0) + 1;
    } catch (error) {
      refused[name] = (refused[name] ?? 0) + 1;
      if (!isRefusal(error)) complaints.push(`${name}: ${reasonOf(error)}`);
    }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return `${error.message}${cause}`;
}

await Promise.all(Array.from({ length: MOVERS }, move));
await host.close();
process.send?.({ made, refused, complaints }, () => process.exit(0));

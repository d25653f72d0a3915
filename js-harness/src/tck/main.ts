// `npm run tck -- <folder of the kit>`: runs the protocol's compatibility kit against this host on each of
// its stores and against the SDK's own handler, writes js-harness/reports/tck.json, and exits with 0 only
// if nothing that the SDK's handler passes is worse here.

import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

import { hosts, sdk, type AgentUnderTest } from "./agents-under-test.js";
import { worseThan } from "./comparison.js";
import { openKit, runKit, TRANSPORTS, type Kit, type Transport } from "./kit.js";
import { kitRun, tableOf, writeReport, type TckReport } from "./report.js";
import type { TestResults } from "./test-results.js";

/** Below the folder of the harness, from which the script at the root runs this. */
const REPORT = join("reports", "tck.json");
const LOGS = join("reports", "tck-logs");

/** The kit leaves the tests of other transports out, so each set is a run of its own. */
const TRANSPORT_SETS: readonly (readonly Transport[])[] = [["jsonrpc"], TRANSPORTS];

/** Names the agent that this process serves for the one that runs the kit. */
const SERVING = "SKEIN_TCK_SERVES";

const serving = process.env[SERVING];
if (serving !== undefined) await serveForParent(serving);
else await main(process.argv[2]);

async function main(folder: string | undefined): Promise<void> {
  if (folder === undefined) {
    console.error("Which kit? npm run tck -- <folder with a clone of a2aproject/a2a-tck, 1.0-dev>");
    process.exitCode = 2;
    return;
  }
  // npm runs scripts at the root; a path is meant from where npm was called.
  const kit = await openKit(resolve(process.env["INIT_CWD"] ?? process.cwd(), folder));
  const report: TckReport = { kit: { commit: kit.commit }, runs: [], worse: [] };
  for (const transports of TRANSPORT_SETS) {
    const measure = await tested(kit, sdk, transports, report);
    for (const host of hosts) {
      const results = await tested(kit, host, transports, report);
      const { sut, store } = host;
      report.worse.push(
        ...worseThan(measure, results).map((test) => ({ sut, store, transports, ...test })),
      );
    }
  }
  await writeReport(REPORT, report);
  console.log(`\n${tableOf(report)}\n\nReport: ${join("js-harness", REPORT)}`);
  process.exitCode = report.worse.length === 0 ? 0 : 1;
}

async function tested(
  kit: Kit,
  agent: AgentUnderTest,
  transports: readonly Transport[],
  report: TckReport,
): Promise<TestResults> {
  const { sut, store } = agent;
  const results = await withAgent(agent, (url) => runKit(kit, url, transports));
  const run = kitRun({ sut, store, transports }, results);
  report.runs.push(run);
  console.log(
    `${sut} on ${store}, ${transports.join(" + ")}: ${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped`,
  );
  return results;
}

/** Serves an agent in a process of its own, since transports tell every refusal on its console. */
async function withAgent<T>(agent: AgentUnderTest, use: (url: string) => Promise<T>): Promise<T> {
  await mkdir(LOGS, { recursive: true });
  const name = nameOf(agent);
  const log = await open(join(LOGS, `${name}.log`), "w");
  const child = fork(fileURLToPath(import.meta.url), {
    env: { ...process.env, [SERVING]: name },
    stdio: ["ignore", log.fd, log.fd, "ipc"],
  });
  const closed = once(child, "exit");
  try {
    const [url] = await Promise.race([
      once(child, "message") as Promise<[string]>,
      closed.then(() => Promise.reject(new Error(`The agent did not start: see ${LOGS}.`))),
    ]);
    return await use(url);
  } finally {
    if (child.connected) child.disconnect();
    await closed;
    await log.close();
  }
}

/** Serves the agent until the parent lets go. */
async function serveForParent(name: string): Promise<void> {
  const agent = [...hosts, sdk].find((candidate) => nameOf(candidate) === name);
  if (!agent) throw new Error(`There is no agent ${name}.`);
  await agent.serve(async (url) => {
    const isLetGo = once(process, "disconnect");
    process.send?.(url);
    await isLetGo;
  });
  process.exit();
}

function nameOf({ sut, store }: AgentUnderTest): string {
  return `${sut}-${store}`;
}

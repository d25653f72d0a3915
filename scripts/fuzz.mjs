// `npm run fuzz [-- --seconds N]`: gives the Rust side texts of every kind through each of its entrances,
// for a minute in all or as long as it is told to, and writes how many there were and what failed to
// js-harness/reports/fuzz.json.

import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

import { outcomeOf } from "./fuzz-outcome.mjs";
import { Failure, main, ROOT } from "./process.mjs";
import { testedCommit, writeReport } from "./report.mjs";
import { requireRust } from "./toolchain.mjs";

const TARGETS = ["test", "--quiet", "--profile", "fuzz", "--test", "fuzz", "--"];

/** What a target may take besides its share, to make a failure small; one that takes more hangs. */
const GRACE_MS = 60_000;

await main(() => {
  requireRust();
  const seconds = wantedSeconds();
  // Of what is built now: the folder may be worked in meanwhile.
  const commit = testedCommit();
  const names = listTargets();
  const share = Math.max(1, Math.round((seconds * 1000) / names.length));
  const started = Date.now();
  const targets = names.map((name) => fuzz(name, share));
  const failures = targets.flatMap(({ name, failure }) => (failure ? [{ name, ...failure }] : []));
  const inputs = targets.reduce((sum, target) => sum + target.inputs, 0);
  const took = Math.round((Date.now() - started) / 1000);
  process.stdout.write(
    `${targets.length} targets, ${inputs} inputs in ${took} s, ${failures.length} failed\n`,
  );
  writeReport("fuzz", {
    seconds: took,
    targets: targets.map(({ name, inputs, seconds, seen }) => ({ name, inputs, seconds, seen })),
    failures,
    commit,
  });
  process.exitCode = failures.length === 0 ? 0 : 1;
});

function wantedSeconds() {
  const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && Number.isFinite(seconds))) {
    throw new Failure("Say how long in seconds: npm run fuzz -- --seconds 3600");
  }
  return seconds;
}

/** Builds the targets; a list without any is a failure. */
function listTargets() {
  const { status, stdout, error } = cargo(["--list", "--format", "terse"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error) throw new Failure(`cargo could not be started: ${error.message}`);
  if (status !== 0) throw new Failure("The targets could not be built.");
  const names = [...stdout.matchAll(/^(\S+): test$/gm)].map((match) => match[1]);
  if (names.length === 0) throw new Failure("There is no target.");
  return names;
}

/** Runs one target for its share of the time, and counts what it says that it was given. */
function fuzz(name, share) {
  const started = Date.now();
  const ran = cargo(["--exact", name, "--nocapture"], {
    timeout: share + GRACE_MS,
    env: {
      ...withoutBolero(),
      BOLERO_RANDOM_TEST_TIME_MS: String(share),
    },
  });
  const seconds = Math.round((Date.now() - started) / 100) / 10;
  const { inputs, seen, failure } = outcomeOf(ran);
  process.stdout.write(
    `${name}: ${inputs} inputs in ${seconds} s${failure ? `, FAILED: ${failure.why}` : ""}\n`,
  );
  if (failure) process.stdout.write(`${failure.output}\n`);
  return { name, inputs, seconds, seen, failure };
}

/** A seed or a number of inputs that is set for a replay would make the run a short one. */
function withoutBolero() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("BOLERO_"));
  return Object.fromEntries(kept);
}

function cargo(args, options) {
  return spawnSync("cargo", [...TARGETS, ...args], { cwd: ROOT, encoding: "utf8", ...options });
}

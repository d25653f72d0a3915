// `npm run mutants [-- <options of cargo-mutants>]`: changes the rules one at a time and has the Rust tests
// look for it, the exploration and the fuzzing of a few seconds among them. Takes an hour or more. Writes
// what survived to js-harness/reports/mutants.json, with the commit that it is of.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Failure, main, ROOT } from "./process.mjs";
import { testedCommit, writeReport } from "./report.mjs";
import { ensureTool, requireRust } from "./toolchain.mjs";

const TOOL = {
  crate: "cargo-mutants",
  program: "cargo-mutants",
  version: "27.1.0",
  flags: ["--locked"],
  // Cargo's own programs are asked through their name.
  ask: ["mutants", "--version"],
};

/** The boundary is compiled for WebAssembly only, and its tests are not among these. */
const MUTATED = ["--exclude", "src/js/**", "--exclude", "examples/**"];
/** Quick ones first: the next binary runs only if all tests of the one before have passed. */
const TESTS = [
  "--lib",
  "--test",
  "statements",
  "--test",
  "settlement",
  "--test",
  "fuzz",
  "--test",
  "explore",
];

/** Mutants that change nothing that anybody can see, each with the reason. */
const EXPLAINED = JSON.parse(readFileSync(join(ROOT, "scripts", "explained-mutants.json"), "utf8"));

await main(async () => {
  requireRust();
  const mutants = await ensureTool(TOOL);
  const output = mkdtempSync(join(tmpdir(), "skein-mutants-"));
  // Of what is copied now: the folder may be worked in meanwhile.
  const commit = testedCommit();
  const started = Date.now();
  const { error } = spawnSync(
    mutants,
    [
      "mutants",
      "--no-shuffle",
      ...["--output", output],
      ...["--colors", "never"],
      ...["--jobs", "1"],
      ...["--profile", "mutants"],
      ...MUTATED,
      ...process.argv.slice(2),
      ...["--", ...TESTS],
    ],
    { cwd: ROOT, stdio: "inherit" },
  );
  if (error) throw new Failure(`cargo-mutants could not be started: ${error.message}`);
  const outcomes = join(output, "mutants.out", "outcomes.json");
  if (!existsSync(outcomes)) throw new Failure("cargo-mutants did not begin; see above.");
  const report = reportOf(JSON.parse(readFileSync(outcomes, "utf8")));
  rmSync(output, { recursive: true });
  for (const survivor of report.survivors) {
    process.stdout.write(
      `survived: ${survivor.mutant}${survivor.why ? `: ${survivor.why}` : ""}\n`,
    );
  }
  process.stdout.write(
    `${report.tested} mutants tested, ${report.caught} caught, ${report.survivors.length} survived, ${report.unexplained} unexplained\n`,
  );
  writeReport("mutants", {
    ...report,
    commit,
    seconds: Math.round((Date.now() - started) / 1000),
  });
  process.exitCode = report.unexplained === 0 ? 0 : 1;
});

/** Mutants that do not compile are none. One whose tests never end is caught. */
function reportOf({ outcomes }) {
  const mutants = outcomes.filter(({ scenario }) => scenario.Mutant);
  if (mutants.length === 0) throw new Failure("No mutant was tested; see what is printed above.");
  const named = (summary) =>
    mutants
      .filter((outcome) => outcome.summary === summary)
      .map(({ scenario }) => scenario.Mutant.name);
  const survivors = named("MissedMutant").map((name) => {
    // The line moves with every change above it.
    const mutant = name.replace(/:\d+:\d+:/, ":");
    return { mutant, why: EXPLAINED[mutant] ?? null };
  });
  const caught = named("CaughtMutant").length + named("Timeout").length;
  return {
    tested: caught + survivors.length,
    caught,
    survivors,
    unexplained: survivors.filter(({ why }) => why === null).length,
  };
}

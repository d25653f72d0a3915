// The compatibility kit, a folder with a clone of a2aproject/a2a-tck: its Python, and a run of its tests.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { testResults, type TestResults } from "./test-results.js";

export const TRANSPORTS = ["jsonrpc", "http_json"] as const;

export type Transport = (typeof TRANSPORTS)[number];

export interface Kit {
  folder: string;
  /** The commit of the clone, or null for a folder that is none. */
  commit: string | null;
  python: string;
}

/**
 * Makes the kit ready: what its pyproject.toml asks for goes into an environment in the project's cache,
 * once for each state of that file. Nothing is written into the kit.
 */
export async function openKit(folder: string): Promise<Kit> {
  const project = join(folder, "pyproject.toml");
  if (!existsSync(project) || !existsSync(join(folder, "tests", "compatibility"))) {
    throw new Error(
      `${folder} holds no compatibility kit: clone a2aproject/a2a-tck, branch 1.0-dev.`,
    );
  }
  const head = spawnSync("git", ["-C", folder, "rev-parse", "HEAD"], { encoding: "utf8" });
  const commit = head.status === 0 ? head.stdout.trim() : null;
  return { folder, commit, python: await pythonFor(await readFile(project, "utf8")) };
}

/** Python that prints what a pyproject.toml depends on. */
const DEPENDENCIES =
  "import sys, tomllib; print('\\n'.join(tomllib.loads(sys.stdin.read())['project']['dependencies']))";

async function pythonFor(project: string): Promise<string> {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const state = createHash("sha256").update(project).digest("hex").slice(0, 16);
  const environment = join(cache, "skein-results", `tck-python-${state}`);
  const python = join(environment, "bin", "python");
  const isComplete = join(environment, "complete");
  if (existsSync(isComplete)) return python;
  console.log("Setting up Python for the kit (once for each version of its dependencies) …");
  await rm(environment, { recursive: true, force: true });
  ran("python3", ["-m", "venv", environment]);
  const needed = ran(python, ["-c", DEPENDENCIES], project).trim().split("\n");
  ran(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...needed]);
  ran(python, ["-c", "open(__import__('sys').argv[1], 'w').close()", isComplete]);
  return python;
}

function ran(program: string, args: readonly string[], input = ""): string {
  const { status, stdout, error } = spawnSync(program, args, {
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (error) throw new Error(`${program} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed.`);
  return stdout;
}

/** Runs all tests of the kit for these transports against the agent at `url`. */
export async function runKit(
  { folder, python }: Kit,
  url: string,
  transports: readonly Transport[],
): Promise<TestResults> {
  const reports = await mkdtemp(join(tmpdir(), "skein-tck-reports-"));
  const junit = join(reports, "junit.xml");
  const child = spawn(
    python,
    [
      ...["-m", "pytest", "tests/compatibility/", "-q", "--tb=short"],
      // It would be written into the kit.
      ...["-p", "no:cacheprovider"],
      // The kit does not say it, and a warning about that stands in every run.
      ...["-o", "asyncio_default_fixture_loop_scope=function"],
      `--sut-host=${url}`,
      `--transport=${transports.join(",")}`,
      `--junitxml=${junit}`,
    ],
    {
      cwd: folder,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  const [code] = (await once(child, "close")) as [number | null];
  try {
    // 0: all passed, 1: some failed; everything else is no result.
    if (code !== 0 && code !== 1)
      throw new Error(`The kit ended with ${code ?? "a signal"}:\n${output}`);
    return testResults(await readFile(junit, "utf8"));
  } finally {
    await rm(reports, { recursive: true });
  }
}

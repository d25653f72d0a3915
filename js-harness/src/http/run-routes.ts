import { Router, type Request, type Response } from "express";

import type { SubmittedRun } from "../engine/admission.js";
import type { RunOutcome } from "../engine/outcome.js";
import { present } from "../engine/present.js";
import { RUN_STATUSES, SkeinHttpError, type Run } from "../stores/contract.js";

import { bodiesOf, bodyOf, queryOf } from "./body.js";
import { locateRun, sendJson } from "./reply.js";
import { readRunRequest } from "./run-body.js";
import type { HostServices } from "./services.js";
import { framesReadBy, sendFrames } from "./sse.js";

export function runRoutes(services: HostServices): Router {
  const router = Router();
  router.use(startRoutes(services));

  router.get("/threads/:thread_id/runs", async (request, response) => {
    const query = queryOf(request);
    await services.threads.get(request.params.thread_id);
    const page = present({
      limit: query.count("limit") ?? 10,
      offset: query.count("offset") ?? 0,
      status: query.oneOf("status", RUN_STATUSES),
    });
    sendJson(response, await services.runs.list(request.params.thread_id, page));
  });

  router.get("/threads/:thread_id/runs/:run_id", async (request, response) => {
    sendJson(response, await runOf(services, request));
  });

  router.delete("/threads/:thread_id/runs/:run_id", async (request, response) => {
    const { run_id } = await runOf(services, request);
    await services.runs.delete(run_id);
    response.status(204).end();
  });

  router.post("/threads/:thread_id/runs/:run_id/cancel", async (request, response) => {
    const { run_id } = await runOf(services, request);
    const query = queryOf(request);
    const options = present({
      wait: query.any("wait") === 1 || query.any("wait") === "true",
      action: query.oneOf("action", ["interrupt", "rollback"]),
    });
    sendJson(response, await services.runs.cancel(run_id, options));
  });

  router.get("/threads/:thread_id/runs/:run_id/join", async (request, response) => {
    const { run_id, thread_id } = await runOf(services, request);
    const ended = await services.runs.wait(run_id);
    const { values } = await services.threads.getState(thread_id);
    sendJson(response, ended?.error ? { __error__: ended.error } : values);
  });

  router.get("/threads/:thread_id/runs/:run_id/stream", async (request, response) => {
    const run = await runOf(services, request);
    await streamRun(services, request, response, run);
  });

  return router;
}

/** On a thread that is named, or, without one, on a thread that is made for the run. */
function startRoutes(services: HostServices): Router {
  const router = Router();

  router.post(["/runs", "/threads/:thread_id/runs"], async (request, response) => {
    const { run } = await submit(services, request);
    locateRun(response, run);
    sendJson(response, run);
  });

  router.post("/runs/batch", async (request, response) => {
    const asked = bodiesOf(request).map((body) => readRunRequest(body, null));
    sendJson(response, await Promise.all(asked.map((run) => services.runs.start(run))));
  });

  router.post(["/runs/wait", "/threads/:thread_id/runs/wait"], async (request, response) => {
    const { run, outcome } = await submit(services, request);
    locateRun(response, run);
    // A run that was not executed here was cancelled or deleted, or the host is closing.
    sendJson(response, waitBody((await outcome) ?? (await services.runs.wait(run.run_id))));
  });

  router.post(["/runs/stream", "/threads/:thread_id/runs/stream"], async (request, response) => {
    const { run, outcome } = await submit(services, request);
    locateRun(response, run);
    await streamRun(services, request, response, run, outcome);
  });

  return router;
}

function submit(services: HostServices, request: Request): Promise<SubmittedRun> {
  const threadId = request.params["thread_id"];
  const asked = readRunRequest(bodyOf(request), typeof threadId === "string" ? threadId : null);
  return services.runs.submit(asked);
}

/** A failed run must not read as one that came to nothing. */
function waitBody(ended: Pick<RunOutcome, "error" | "result"> | null): unknown {
  return ended?.error ? { __error__: ended.error } : (ended?.result?.values ?? {});
}

async function streamRun(
  services: HostServices,
  request: Request,
  response: Response,
  run: Run,
  outcome?: SubmittedRun["outcome"],
): Promise<void> {
  const disconnected = new AbortController();
  response.on("close", () => disconnected.abort());
  const after = framesReadBy(request.get("Last-Event-ID"));
  const frames = services.runs.frames(run.run_id, after, disconnected.signal);
  // From the outcome where there is one: the row of a run whose thread goes with it may be gone.
  await sendFrames(response, frames, async () => {
    const ended = (await outcome) ?? (await services.runs.wait(run.run_id));
    return ended?.status ?? null;
  });
}

/** The run of the path, which must belong to the thread of the path. */
async function runOf(services: HostServices, request: Request): Promise<Run> {
  const { thread_id, run_id } = request.params;
  const run = await services.runs.get(String(run_id));
  if (run.thread_id !== thread_id) throw SkeinHttpError.notFound(`Run "${run.run_id}" not found.`);
  return run;
}

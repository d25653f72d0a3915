import { Router } from "express";

import { present } from "../engine/present.js";
import { SkeinHttpError, type ThreadSearchQuery, type ThreadStatus } from "../stores/contract.js";
import type { ThreadService } from "../threads/thread-service.js";

import { bodyOf, Fields, queryOf, type JsonObject } from "./body.js";
import { sendJson } from "./reply.js";

const STATUSES: readonly ThreadStatus[] = ["idle", "busy", "interrupted", "error"];
const SORT_KEYS = ["thread_id", "status", "created_at", "updated_at"] as const;

export function threadRoutes(threads: ThreadService): Router {
  const router = Router();

  router.post("/threads", async (request, response) => {
    const fields = new Fields(bodyOf(request));
    const asked = present({
      thread_id: fields.string("thread_id"),
      metadata: fields.object("metadata"),
      ifExists: fields.oneOf("if_exists", ["raise", "do_nothing"]),
      ttl: minutes(fields.any("ttl")),
    });
    sendJson(response, await threads.create(asked));
  });

  router.post("/threads/search", async (request, response) => {
    sendJson(response, await threads.search(searchQuery(bodyOf(request))));
  });

  router.post("/threads/count", async (request, response) => {
    const { limit: _limit, offset: _offset, ...query } = searchQuery(bodyOf(request));
    sendJson(response, await threads.count(query));
  });

  router.post("/threads/prune", async (request, response) => {
    const fields = new Fields(bodyOf(request));
    const asked = present({
      thread_ids: fields.strings("thread_ids") ?? [],
      strategy: fields.oneOf("strategy", ["delete", "keep_latest"]),
    });
    sendJson(response, await threads.prune(asked));
  });

  router.get("/threads/:thread_id", async (request, response) => {
    sendJson(response, await threads.get(request.params.thread_id));
  });

  router.patch("/threads/:thread_id", async (request, response) => {
    const metadata = new Fields(bodyOf(request)).object("metadata") ?? {};
    sendJson(response, await threads.updateMetadata(request.params.thread_id, metadata));
  });

  router.post("/threads/:thread_id/copy", async (request, response) => {
    sendJson(response, await threads.copy(request.params.thread_id));
  });

  router.delete("/threads/:thread_id", async (request, response) => {
    await threads.delete(request.params.thread_id);
    response.status(204).end();
  });

  router.use(stateRoutes(threads));
  return router;
}

function stateRoutes(threads: ThreadService): Router {
  const router = Router();

  router.get("/threads/:thread_id/state", async (request, response) => {
    sendJson(response, await threads.getState(request.params.thread_id));
  });

  router.post("/threads/:thread_id/state", async (request, response) => {
    const fields = new Fields(bodyOf(request));
    const id = present({ checkpoint_id: fields.string("checkpoint_id") });
    const update = {
      values: fields.any("values"),
      checkpoint: { ...checkpointOf(fields), ...id },
      ...present({ asNode: fields.string("as_node") }),
    };
    sendJson(response, await threads.updateState(request.params.thread_id, update));
  });

  // The SDK sends a checkpoint's id in the path, and a checkpoint with a namespace in a body.
  router.post("/threads/:thread_id/state/checkpoint", async (request, response) => {
    const at = checkpointOf(new Fields(bodyOf(request)));
    sendJson(response, await threads.getState(request.params.thread_id, at));
  });

  router.get("/threads/:thread_id/state/:checkpoint_id", async (request, response) => {
    const { thread_id, checkpoint_id } = request.params;
    sendJson(response, await threads.getState(thread_id, { checkpoint_id }));
  });

  router.get("/threads/:thread_id/history", async (request, response) => {
    const query = present({ limit: queryOf(request).count("limit") });
    sendJson(response, await threads.history(request.params.thread_id, query));
  });

  router.post("/threads/:thread_id/history", async (request, response) => {
    const fields = new Fields(bodyOf(request));
    const query = present({
      limit: fields.count("limit"),
      before: before(fields.any("before")),
      metadata: fields.object("metadata"),
      checkpointNs: checkpointOf(fields).checkpoint_ns,
    });
    sendJson(response, await threads.history(request.params.thread_id, query));
  });

  return router;
}

/** A thread's time to live: the minutes themselves, or as an object with a strategy. */
function minutes(ttl: unknown): number | undefined {
  const value = typeof ttl === "object" && ttl !== null && "ttl" in ttl ? ttl.ttl : ttl;
  if (value === undefined || (typeof value === "number" && value >= 0)) return value;
  throw SkeinHttpError.badRequest(`"ttl" must be a number of minutes.`);
}

function searchQuery(body: JsonObject): ThreadSearchQuery {
  const fields = new Fields(body);
  return present({
    metadata: fields.object("metadata"),
    status: fields.oneOf("status", STATUSES),
    ids: fields.strings("ids"),
    sortBy: fields.oneOf("sort_by", SORT_KEYS),
    sortOrder: fields.oneOf("sort_order", ["asc", "desc"]),
    limit: fields.count("limit") ?? 10,
    offset: fields.count("offset") ?? 0,
  });
}

/** Where in a thread to read or write; the thread itself is the one of the path. */
function checkpointOf(fields: Fields): { checkpoint_id?: string; checkpoint_ns?: string } {
  const checkpoint = new Fields(fields.object("checkpoint") ?? {});
  return present({
    checkpoint_id: checkpoint.string("checkpoint_id"),
    checkpoint_ns: checkpoint.string("checkpoint_ns"),
  });
}

/** The SDK's `before` is a config; other clients send the id of a checkpoint, or a checkpoint. */
function before(value: unknown): string | undefined {
  if (typeof value === "string" || value === undefined) return value;
  const fields = new Fields({ before: value });
  const config = new Fields(fields.object("before") ?? {});
  return (
    config.string("checkpoint_id") ??
    new Fields(config.object("configurable") ?? {}).string("checkpoint_id")
  );
}

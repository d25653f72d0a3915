import { Router } from "express";

import { present } from "../engine/present.js";
import { SkeinHttpError, type AssistantRepo } from "../stores/contract.js";

import { bodyOf, Fields } from "./body.js";
import { sendJson } from "./reply.js";

export function assistantRoutes(assistants: AssistantRepo): Router {
  const router = Router();

  router.post("/assistants/search", async (request, response) => {
    const fields = new Fields(bodyOf(request));
    const query = present({
      graph_id: fields.string("graph_id"),
      name: fields.string("name"),
      metadata: fields.object("metadata"),
      limit: fields.count("limit") ?? 10,
      offset: fields.count("offset") ?? 0,
    });
    sendJson(response, await assistants.search(query));
  });

  router.get("/assistants/:assistant_id", async (request, response) => {
    const { assistant_id } = request.params;
    const assistant = await assistants.get(assistant_id);
    if (!assistant) throw SkeinHttpError.notFound(`Assistant "${assistant_id}" not found.`);
    sendJson(response, assistant);
  });

  return router;
}

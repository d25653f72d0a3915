// The body of a request that starts a run. Nothing of it becomes an option of the server's own.

import { isServedStreamMode } from "../engine/graph-call.js";
import { present } from "../engine/present.js";
import type { RunRequest } from "../engine/run-request.js";
import { SkeinHttpError, type MultitaskStrategy, type StreamMode } from "../stores/contract.js";

import { Fields, type JsonObject } from "./body.js";

const STRATEGIES: readonly MultitaskStrategy[] = ["reject", "interrupt", "rollback", "enqueue"];

/** @param threadId the thread that the path names, or null */
export function readRunRequest(body: JsonObject, threadId: string | null): RunRequest {
  const fields = new Fields(body);
  const command = fields.object("command");
  const checkpoint = fields.object("checkpoint");
  return present({
    threadId,
    assistantId: fields.requiredString("assistant_id"),
    ifNotExists: fields.oneOf("if_not_exists", ["create", "reject"]),
    onCompletion: fields.oneOf("on_completion", ["delete", "keep"]),
    input: fields.any("input"),
    command:
      command &&
      present({
        // `null` is an answer like any other, where it is a field left out elsewhere.
        resume: Object.hasOwn(command, "resume") ? command["resume"] : undefined,
        update: command["update"] ?? undefined,
        goto: command["goto"] ?? undefined,
      }),
    config: fields.object("config"),
    context: fields.any("context"),
    metadata: fields.object("metadata"),
    multitaskStrategy: fields.oneOf("multitask_strategy", STRATEGIES),
    streamMode: streamModes(fields.any("stream_mode")),
    interruptBefore: nodes(fields, "interrupt_before"),
    interruptAfter: nodes(fields, "interrupt_after"),
    checkpointId:
      fields.string("checkpoint_id") ??
      (checkpoint && new Fields(checkpoint).string("checkpoint_id")),
    webhook: webhook(fields.string("webhook")),
  });
}

function streamModes(value: unknown): StreamMode[] | undefined {
  if (value === undefined) return undefined;
  const modes = [value].flat();
  if (modes.every(isServedStreamMode)) return modes;
  throw SkeinHttpError.badRequest(`"stream_mode" has a mode that is not served here.`);
}

function nodes(fields: Fields, name: string): string[] | "*" | undefined {
  return fields.any(name) === "*" ? "*" : fields.strings(name);
}

function webhook(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const protocol = URL.canParse(value) ? new URL(value).protocol : "";
  if (protocol === "http:" || protocol === "https:") return value;
  throw SkeinHttpError.badRequest(`"webhook" must be an absolute http or https URL.`);
}

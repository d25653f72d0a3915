// Reading what a client sent. A body is read field by field and nothing else of it is used; a field of
// the wrong shape is refused with 400. `null` is what some clients send for a field they leave out.

import type { Request } from "express";

import { SkeinHttpError } from "../stores/contract.js";

export type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** The request's body, or an empty one where there is none. */
export function bodyOf(request: Request): JsonObject {
  const body: unknown = request.body ?? {};
  if (!isObject(body)) throw SkeinHttpError.badRequest("The body must be a JSON object.");
  return body;
}

/** The objects of a request's body that is a list of them. */
export function bodiesOf(request: Request): JsonObject[] {
  const bodies: unknown = request.body;
  if (Array.isArray(bodies) && bodies.every(isObject)) return bodies;
  throw SkeinHttpError.badRequest("The body must be a list of JSON objects.");
}

/** The fields of an object that a client sent. Inherited ones are not among them. */
export class Fields {
  readonly #object: JsonObject;

  constructor(object: JsonObject) {
    this.#object = object;
  }

  any(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? undefined) : undefined;
  }

  string(name: string): string | undefined {
    return this.#checked(name, "a string", (value) => typeof value === "string");
  }

  requiredString(name: string): string {
    const value = this.string(name);
    if (value === undefined) throw SkeinHttpError.badRequest(`"${name}" is missing.`);
    return value;
  }

  strings(name: string): string[] | undefined {
    return this.#checked(name, "a list of strings", isStrings);
  }

  object(name: string): JsonObject | undefined {
    return this.#checked(name, "an object", isObject);
  }

  count(name: string): number | undefined {
    return this.#checked(
      name,
      "a whole number that is not negative",
      (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
    );
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    return this.#checked(name, `one of ${allowed.join(", ")}`, (value): value is T =>
      (allowed as readonly unknown[]).includes(value),
    );
  }

  #checked<T>(name: string, shape: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.any(name);
    if (value === undefined || is(value)) return value;
    throw SkeinHttpError.badRequest(`"${name}" must be ${shape}.`);
  }
}

/** The query of a request, its whole numbers as numbers. */
export function queryOf(request: Request): Fields {
  return new Fields(
    Object.fromEntries(
      Object.entries(request.query).map(([name, value]) => [
        name,
        typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value,
      ]),
    ),
  );
}

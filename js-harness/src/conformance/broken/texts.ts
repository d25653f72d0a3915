// Faults of drivers that do not give a text back byte for byte.

import type { ResultDriver, ResultTexts } from "skein-results";

import type { BrokenStore, BrokenStores } from "../testing/broken-store.js";
import type { PlainDriver } from "../testing/plain-driver.js";

/** A driver that changes each text when it is read. */
const changing = (caughtBy: string, changed: (text: string) => string): BrokenStore => ({
  driver: (own) => readingAs(own, (texts) => eachOf(texts, changed)),
  caughtBy,
});

/** A driver that writes each text as another JSON parser and printer do. */
const reprinting = (caughtBy: string, reprinted: (json: unknown) => unknown): BrokenStore =>
  changing(caughtBy, (text) => JSON.stringify(reprinted(JSON.parse(text))));

export const brokenTexts: BrokenStores = {
  "replaces half of a surrogate pair": changing(
    "a text comes back as it is, lone surrogates and NUL included",
    (text) => text.replace(/\\ud[89a-f][0-9a-f]{2}/g, "\ufffd"),
  ),
  "drops NUL from a text": changing(
    "a text comes back as it is, lone surrogates and NUL included",
    (text) => text.replaceAll("\\u0000", ""),
  ),
  "drops a byte order mark": changing(
    "a text comes back as it is, lone surrogates and NUL included",
    (text) => text.replaceAll("\ufeff", ""),
  ),
  "normalizes letters": changing(
    "a text comes back as it is, lone surrogates and NUL included",
    (text) => text.normalize(),
  ),
  "takes a text that looks like JSON for JSON": changing(
    "a text that looks like JSON stays a text",
    (text) => {
      const json: unknown = JSON.parse(text);
      return typeof json === "string" && isJson(json) ? json : text;
    },
  ),
  "takes every text that looks like JSON for JSON, deep inside too": reprinting(
    "a text that looks like JSON stays a text",
    (json) =>
      mapped(json, (leaf) =>
        typeof leaf === "string" && isJson(leaf) ? (JSON.parse(leaf) as unknown) : leaf,
      ),
  ),
  "takes a text that looks like a date for a date": reprinting(
    "a text that looks like JSON stays a text",
    (json) =>
      mapped(json, (leaf) =>
        typeof leaf === "string" && leaf.startsWith("2020-") ? new Date(leaf).getTime() : leaf,
      ),
  ),
  "rounds numbers": reprinting("a number comes back to the bit", (json) =>
    mapped(json, (leaf) => (typeof leaf === "number" ? Number(leaf.toPrecision(15)) : leaf)),
  ),
  "keeps numbers in single precision": reprinting("a number comes back to the bit", (json) =>
    mapped(json, (leaf) => (typeof leaf === "number" ? Math.fround(leaf) : leaf)),
  ),
  "takes __proto__ for the prototype": reprinting(
    "a key comes back as a key, __proto__ included",
    (json) => assigned(json),
  ),
  "folds the case of keys": reprinting("a key comes back as a key, __proto__ included", (json) =>
    mapped(
      json,
      (leaf) => leaf,
      (key) => key.toLowerCase(),
    ),
  ),
  "sorts keys": reprinting("the keys of an object keep their order", (json) =>
    mapped(
      json,
      (leaf) => leaf,
      undefined,
      (keys) => keys.sort(),
    ),
  ),
  "drops empty values": reprinting("an empty or false value is a value", (json) =>
    mapped(
      json,
      (leaf) => leaf,
      undefined,
      undefined,
      (items) => items.filter(Boolean),
    ),
  ),
  "takes a member of null for none": {
    driver: (own) =>
      readingAs(own, (texts) => ({
        values: texts.values,
        interrupts: texts.interrupts === "null" ? null : texts.interrupts,
        reply: texts.reply === "null" ? null : texts.reply,
        checkpoint: texts.checkpoint === "null" ? null : texts.checkpoint,
      })),
    caughtBy: "a member that is absent stays absent, and one that is null stays null",
  },
  "gives an absent member as null": {
    driver: (own) =>
      readingAs(own, (texts) => ({
        values: texts.values,
        interrupts: texts.interrupts ?? "null",
        reply: texts.reply ?? "null",
        checkpoint: texts.checkpoint ?? "null",
      })),
    caughtBy: "a member that is absent stays absent, and one that is null stays null",
  },
  "cuts a text at 64 kB": changing("a large result comes back whole", (text) =>
    text.slice(0, 65_535),
  ),
  "flattens what is deep": reprinting("a deep result comes back whole", (json) => cutAt(json, 100)),
  "keeps interrupts as a set": reprinting(
    "interrupts keep their order, and those that are equal stay two",
    (json) =>
      mapped(
        json,
        (leaf) => leaf,
        undefined,
        undefined,
        (items) => [...new Map(items.map((item) => [JSON.stringify(item), item])).values()],
      ),
  ),
};

function readingAs(own: PlainDriver, changed: (texts: ResultTexts) => ResultTexts): ResultDriver {
  return {
    ...own,
    read: async (runId) => {
      const texts = await own.read(runId);
      return texts && texts.values !== null ? changed({ ...texts, values: texts.values }) : null;
    },
  };
}

function eachOf(texts: ResultTexts, changed: (text: string) => string): ResultTexts {
  const optional = (text: string | null) => (text === null ? null : changed(text));
  return {
    values: changed(texts.values),
    interrupts: optional(texts.interrupts),
    reply: optional(texts.reply),
    checkpoint: optional(texts.checkpoint),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON with its leaves, its keys, their order, and its lists changed. */
function mapped(
  json: unknown,
  leaf: (leaf: unknown) => unknown,
  key: (key: string) => string = (same) => same,
  order: (keys: string[]) => string[] = (same) => same,
  list: (items: unknown[]) => unknown[] = (same) => same,
): unknown {
  const inside = (value: unknown) => mapped(value, leaf, key, order, list);
  if (typeof json !== "object" || json === null) return leaf(json);
  if (Array.isArray(json)) return list(json.map(inside));
  const members = json as Record<string, unknown>;
  return Object.fromEntries(
    order(Object.keys(members)).map((name) => [key(name), inside(members[name])]),
  );
}

/** As code that copies member by member does it. */
function assigned(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(assigned);
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(json)) copy[key] = assigned(value);
  return copy;
}

function cutAt(json: unknown, levels: number): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (levels === 0) return "[Object]";
  if (Array.isArray(json)) return json.map((item) => cutAt(item, levels - 1));
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, cutAt(value, levels - 1)]),
  );
}

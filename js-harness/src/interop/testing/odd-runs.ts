// Runs with something odd about them, as a file or foreign code may bring them.

import fc from "fast-check";

/** The message of a run about which something else is odd. */
export const MESSAGE = JSON.stringify({
  messageId: "m",
  role: "ROLE_USER",
  parts: [{ text: "x" }],
});

/** What is odd about a run; what is not said is as it should be. */
export interface OddRun {
  status: string;
  result?: unknown;
  /** How the result comes to the run. Default: with the import. */
  recorded?: boolean;
  error?: unknown;
  message?: unknown;
  mark?: object;
  at?: unknown;
}

const QUESTION = { id: "a", value: 1 };
const INTERRUPTS: unknown[] = [
  ...[null, {}, [], "", "text", 0, 5, false, true, [QUESTION], [null]],
  ...[
    [],
    null,
    5,
    "x",
    {},
    QUESTION,
    [null],
    [5],
    ["x"],
    [[QUESTION]],
    [{}],
    [{ value: null }],
  ].map((list) => ({ t1: list })),
  ...[5, null, {}, "", "\u0000"].map((id) => ({ t1: [{ id, value: 1 }] })),
  { t1: [QUESTION, { ...QUESTION, value: 2 }], t0: [QUESTION] },
  { t1: [null, QUESTION], t2: "x", t3: { a: QUESTION } },
  JSON.parse('{"__proto__":[{"id":"a","value":{"__proto__":1}}]}'),
];
const CHECKPOINTS: unknown[] = [
  ...[null, {}, [], "", "x", 0, 5, false, true],
  ...[null, 5, "", {}, []].map((checkpoint_id) => ({ thread_id: "t", checkpoint_id })),
];
const MESSAGES: unknown[] = [
  ...["", "not json", "null", "5", "[]", "{}", '"x"', "{", "\u0000", "\ud800", 5, {}, [], null],
  ...[
    { parts: 5 },
    { parts: [] },
    { parts: [null] },
    { parts: [{}] },
    { parts: [{ text: null }] },
    { parts: [{ raw: "!!" }] },
    { parts: [{ data: null }] },
    { role: "NOPE" },
    { role: 0 },
    { role: 99 },
    { role: null },
    { messageId: 5 },
    { messageId: "" },
    { metadata: 5 },
    { extensions: 5 },
    { extensions: [5] },
    { contextId: {}, taskId: [] },
    { __typename: 1 },
  ].map((part) => JSON.stringify({ ...(JSON.parse(MESSAGE) as object), ...part })),
];
const ERRORS: unknown[] = [
  ...[null, 5, "x", "", [], {}, true],
  ...[5, null, {}, "", "\u0000", "\ud800"].map((message) => ({ message })),
];
const REPLIES: unknown[] = [
  ...[null, [null], { a: null }, "", 0, false],
  ...[
    [{ raw: "!!" }],
    [{ raw: "eA==" }],
    [{ text: "x", metadata: 5, mediaType: {}, filename: 5 }],
    [{ text: "x", metadata: [], mediaType: null }],
    [{ url: "x", data: { a: null } }],
    [{ data: [null] }],
    [{ data: null }],
    [{ text: "" }],
    [null],
    [],
    { length: 1 },
    null,
  ].map(($a2a_parts) => ({ $a2a_parts })),
  { $a2a_parts: [{ text: "a" }], as: 5 },
];
const TIMES = [
  ...["", "yesterday", 5, {}, "2026-02-30T00:00:00Z", "2026-01-01", "2026-01-01T02:00:00+02:00"],
  ...[
    "0000-01-01T00:00:00Z",
    "-000001-01-01T00:00:00Z",
    "+010000-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
  ],
  ...["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"],
];
const MARKS: object[] = [
  ...["", 5, null, {}].map((root) => ({ root })),
  ...[-1, 1, 0.5, "0", null, 2 ** 32, 2 ** 53].map((turn) => ({ turn })),
  ...[0, 2, "1", null].map((v) => ({ v })),
  ...["", 5, {}, null, "a", "\u0000", "\ud800"].map((context) => ({ context })),
];

const named = <T>(what: string, list: readonly T[], of: (odd: T) => OddRun) =>
  list.map((odd): [string, OddRun] => [`${what}: ${JSON.stringify(odd)}`, of(odd)]);
const paused = (member: object) => ({ status: "interrupted", result: { values: {}, ...member } });
const completed = (odd: object) => ({ status: "success", result: { values: 1 }, ...odd });

/** One thing at a time. */
export const oddRuns: [string, OddRun][] = [
  ...named("interrupts", INTERRUPTS, (interrupts) => paused({ interrupts })),
  ...named("a checkpoint", CHECKPOINTS, (checkpoint) => paused({ checkpoint })),
  ...named("a message", MESSAGES, (message) => completed({ message })),
  ...named("an error", ERRORS, (error) => ({ status: "error", error })),
  ...named("a reply", REPLIES, (reply) => completed({ result: { values: 1, reply } })),
  ...named("a time", TIMES, (at) => completed({ at })),
  ...named("a mark", MARKS, (mark) => completed({ mark })),
];

const json = fc.jsonValue({ maxDepth: 4 });
const shaped = fc.dictionary(fc.string(), fc.oneof(json, fc.array(json)));
const member = fc.option(fc.oneof(json, shaped), { nil: undefined });
const result = fc.record({
  values: json,
  interrupts: member,
  checkpoint: member,
  reply: fc.oneof(member, fc.record({ $a2a_parts: fc.array(json) })),
});
const message = fc.oneof(
  fc.string(),
  json.map((value) => JSON.stringify(value)),
  fc
    .record({ messageId: fc.string(), role: json, parts: fc.array(json) })
    .map((value) => JSON.stringify(value)),
);
/** Anything that JSON can be, in every place. */
export const anyOddRun: fc.Arbitrary<OddRun> = fc.record({
  status: fc.constantFrom(
    "pending",
    "success",
    "error",
    "timeout",
    "cancelled",
    "interrupted",
    "interrupted",
  ),
  result: fc.option(result, { nil: undefined }),
  recorded: fc.boolean(),
  error: fc.option(json, { nil: undefined }),
  message,
});

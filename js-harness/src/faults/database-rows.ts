// The runs that every primitive is called on, in the tables of a real database.

import { markRun } from "skein-results";

import { ELSEWHERE, HERE, type Place } from "./primitives.js";

const AT = "2026-01-01T00:00:00.000Z";

const PAUSE = { values: '{"answer":42}', interrupts: '{"t":[{"id":"q","value":"?"}]}' };

/** Statements that insert the rows of both places, as all dialects take them. */
export const PLACES_ROWS = [HERE, ELSEWHERE].flatMap(rowsOf).join(";\n");

function rowsOf(place: Place): string[] {
  const { thread, pausedThread } = place;
  const checkpoint = JSON.stringify({ thread_id: thread });
  return [
    threadRow(thread),
    threadRow(pausedThread),
    runRow(place.running, thread, "running"),
    runRow(place.done, thread, "success", { values: '{"answer":42}', checkpoint }),
    runRow(place.copy, thread, "success"),
    runRow(place.paused, pausedThread, "interrupted", PAUSE),
    runRow(place.left, thread, "interrupted", PAUSE),
    runRow(place.later, thread, "running"),
  ];
}

function threadRow(id: string): string {
  return `INSERT INTO threads
    (thread_id, status, metadata, "values", interrupts, created_at, updated_at, state_updated_at)
    VALUES ('${id}', 'idle', '{}', '{}', '{}', '${AT}', '${AT}', '${AT}')`;
}

interface Texts {
  values?: string;
  interrupts?: string;
  checkpoint?: string;
}

function runRow(id: string, thread: string, status: string, texts: Texts = {}): string {
  const text = (given: string | undefined) => (given === undefined ? "NULL" : `'${given}'`);
  const kwargs = JSON.stringify(markRun({}, { root: id, turn: 0, message: null }));
  return `INSERT INTO runs (run_id, thread_id, assistant_id, status, metadata, kwargs, created_at,
    updated_at, result_values, result_interrupts, result_checkpoint)
    VALUES ('${id}', '${thread}', 'echo', '${status}', '{}', '${kwargs}', '${AT}', '${AT}',
    ${text(texts.values)}, ${text(texts.interrupts)}, ${text(texts.checkpoint)})`;
}

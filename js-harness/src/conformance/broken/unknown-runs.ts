// Faults of drivers that take a run for one that it is not.

import type { ResultDriver } from "skein-results";

import type { BrokenStores } from "../testing/broken-store.js";
import type { PlainDriver } from "../testing/plain-driver.js";

/** The driver with every id changed on its way, as a column or a file system does it. */
const withIds = (own: PlainDriver, changed: (id: string) => string): ResultDriver => ({
  record: (runId, texts) => own.record(changed(runId), texts),
  read: (runId) => own.read(changed(runId)),
});

export const brokenUnknownRuns: BrokenStores = {
  "fails on an unknown run": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        if (!rows.has(runId)) throw new Error("violates a foreign key");
        return own.record(runId, texts);
      },
    }),
    caughtBy: "a write to an unknown run is a quiet no-op",
  },
  "makes a run by writing to it": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        if (rows.has(runId)) return own.record(runId, texts);
        rows.set(runId, {
          threadId: "",
          status: "success",
          updatedAt: "",
          kwargs: {},
          metadata: {},
          texts,
        });
      },
    }),
    caughtBy: "a write to an unknown run is a quiet no-op",
  },
  "fails to read an unknown run": {
    driver: (own, rows) => ({
      ...own,
      read: (runId) => {
        if (!rows.has(runId)) throw new Error("no rows in result set");
        return own.read(runId);
      },
    }),
    caughtBy: "an unknown run reads as null",
  },
  "reads a run without a result as one of empty values": {
    driver: (own) => ({
      ...own,
      read: (runId) =>
        own.read(runId) ?? { values: "{}", interrupts: null, reply: null, checkpoint: null },
    }),
    caughtBy: "a run without a result reads as null",
  },
  "folds the case of ids": {
    driver: (own, rows) =>
      withIds(
        own,
        (id) => [...rows.keys()].find((key) => key.toLowerCase() === id.toLowerCase()) ?? id,
      ),
    caughtBy: "ids that look alike are ids of their own",
  },
  "cuts long ids": {
    driver: (own, rows) =>
      withIds(own, (id) => [...rows.keys()].find((key) => key.startsWith(id.slice(0, 255))) ?? id),
    caughtBy: "ids that look alike are ids of their own",
  },
  "trims ids": {
    driver: (own, rows) =>
      withIds(own, (id) => [...rows.keys()].find((key) => key.trim() === id.trim()) ?? id),
    caughtBy: "ids that look alike are ids of their own",
  },
  "normalizes the letters of ids": {
    driver: (own, rows) =>
      withIds(
        own,
        (id) => [...rows.keys()].find((key) => key.normalize() === id.normalize()) ?? id,
      ),
    caughtBy: "ids that look alike are ids of their own",
  },
  "keeps results in an object by their ids": {
    driver: (own) => {
      const results: Record<string, ReturnType<typeof own.read>> = {};
      return { ...own, read: (runId) => own.read(runId) ?? results[runId] };
    },
    caughtBy: "a run under the name of a member of every object is a run like any other",
  },
  "replaces half of a surrogate pair in an id": {
    host: (own) => ({
      createRun: (rows, run) => {
        if (/\p{Surrogate}/u.test(run.runId)) throw new Error("no such id");
        own.createRun(rows, run);
      },
    }),
    driver: (own) => withIds(own, (id) => id.replace(/\p{Surrogate}/gu, "\ufffd")),
    caughtBy: "an id that a store cannot hold is refused at its creation, or is an id of its own",
  },
  "cuts an id at a NUL": {
    driver: (own) => withIds(own, (id) => id.split("\u0000", 1).join("")),
    caughtBy: "an id that a store cannot hold is refused at its creation, or is an id of its own",
  },
  "fails on an id with a NUL": {
    driver: (own) =>
      withIds(own, (id) => {
        if (id.includes("\u0000")) throw new Error("invalid byte sequence");
        return id;
      }),
    caughtBy: "an id that a store cannot hold is refused at its creation, or is an id of its own",
  },
  "makes a run by settling it": {
    driver: (own, rows) => ({
      ...own,
      settle: (runId, write) => {
        if (!rows.has(runId)) {
          rows.set(runId, {
            threadId: "",
            status: "running",
            updatedAt: "",
            kwargs: {},
            metadata: {},
          });
        }
        return own.settle(runId, write);
      },
    }),
    caughtBy: "an unknown run cannot be settled, and is not made by it",
  },
  "says that it cancelled an unknown run": {
    driver: (own) => ({
      ...own,
      cancel: (runId, write) => own.cancel(runId, write) ?? { status: "cancelled", won: true },
    }),
    caughtBy: "an unknown run cannot be cancelled, and is not made by it",
  },
  "exports runs without a result": {
    driver: (own) => ({
      ...own,
      readMany: (runIds) =>
        runIds.map((runId) => [
          runId,
          { values: "null", interrupts: null, reply: null, checkpoint: null },
        ]),
    }),
    caughtBy: "a run without a result is left out of an export, and so is an unknown one",
  },
};

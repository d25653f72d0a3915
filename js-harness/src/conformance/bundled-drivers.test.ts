// The drivers that the package brings along, each in a host of its own that is nothing but tables.

import { afterAll, beforeAll, describe } from "vitest";

import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

import { describeConformance } from "./testing/describe-conformance.js";
import { openMemoryDriver } from "./testing/memory-store.js";
import { createTables, openPostgresDriver, type SharedDatabase } from "./testing/postgres-store.js";
import { ODD_NAMES } from "./testing/run-tables.js";
import { openSqliteDriver } from "./testing/sqlite-store.js";

describeConformance("the memory driver", openMemoryDriver, ["connect", "reopen", "transaction"]);

describeConformance("the SQLite driver", () => openSqliteDriver());

describeConformance("the SQLite driver under names that have to be quoted", () =>
  openSqliteDriver(ODD_NAMES),
);

describe("on a Postgres server", () => {
  let server: PostgresServer;
  const databases: FreshDatabase[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const database of databases) await database.drop();
    await server.stop();
  });

  const describePostgres = (name: string, options: Omit<SharedDatabase, "url"> = {}): void => {
    describe(name, () => {
      let shared: SharedDatabase;
      beforeAll(async () => {
        const database = await freshDatabase(server.url);
        databases.push(database);
        shared = { url: database.url, ...options };
        await createTables(shared);
      });
      describeConformance(name, () => openPostgresDriver(shared));
    });
  };

  describePostgres("the Postgres driver");
  describePostgres("the Postgres driver with prepared statements", { prepare: true });
  describePostgres(
    "the Postgres driver under names that have to be quoted, in a host that has pg parse nothing",
    { names: ODD_NAMES, types: { getTypeParser: () => (text: string) => text } },
  );
});

// Where stores that a program opens by their kind keep their data; all of it goes with the test.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freshDatabase, startPostgres } from "../../testing/postgres-server.js";

/** The kinds that `openStore` opens. */
export const STORE_KINDS = ["memory", "sqlite", "postgres"] as const;

/** Places for stores, until they are removed. */
export class KindPlaces {
  readonly #closings: (() => Promise<void>)[] = [];
  #server: ReturnType<typeof startPostgres> | undefined;

  /** The file or the URL of a store of that kind, which is empty. */
  async placeOf(kind: (typeof STORE_KINDS)[number]): Promise<string> {
    switch (kind) {
      case "memory":
        return "";
      case "sqlite": {
        const folder = await mkdtemp(join(tmpdir(), "skein-store-"));
        this.#closings.push(() => rm(folder, { recursive: true, force: true }));
        return join(folder, "agent.db");
      }
      case "postgres": {
        const server = await (this.#server ??= startPostgres());
        const database = await freshDatabase(server.url);
        this.#closings.push(() => database.drop());
        return database.url;
      }
    }
  }

  async removed(): Promise<void> {
    for (const close of this.#closings.splice(0)) await close();
    await (await this.#server)?.stop();
  }
}

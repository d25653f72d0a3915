// A store of any kind as a test of values needs it: open, and opened again.

import type { HostKind, HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";
import { completeStore, type CompleteStore } from "../stores/store-suite/fixtures.js";

/** A place of a store that is open, and opened again. */
export class OpenPlace {
  #host: Host | undefined;

  private constructor(
    readonly kind: HostKind,
    readonly place: HostPlace,
  ) {}

  static async of(kind: HostKind): Promise<OpenPlace> {
    const open = new OpenPlace(kind, await kind.prepare());
    open.#host = await open.place.open();
    return open;
  }

  get store(): CompleteStore {
    if (!this.#host) throw new Error("The host is closed.");
    return completeStore(this.#host.store);
  }

  /** Closes and opens what outlives that; memory stays as it is. */
  async reopened(): Promise<void> {
    if (!this.kind.durable) return;
    await this.#host?.close();
    this.#host = await this.place.open();
  }

  async removed(): Promise<void> {
    await this.#host?.close();
    await this.place.remove();
  }
}

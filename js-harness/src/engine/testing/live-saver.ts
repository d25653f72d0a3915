import { MemorySaver, type SerializerProtocol } from "@langchain/langgraph-checkpoint";

/**
 * A saver that gives back the very objects that a graph has returned. The serializer of LangGraph
 * refuses or rewrites what JSON cannot carry; with this one such a state reaches the end of a run.
 */
export class LiveSaver extends MemorySaver {
  constructor() {
    super(new LiveSerializer());
  }
}

class LiveSerializer implements SerializerProtocol {
  readonly #values: unknown[] = [];

  dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    const index = this.#values.push(value) - 1;
    return Promise.resolve(["json", new TextEncoder().encode(String(index))]);
  }

  loadsTyped(_type: string, data: Uint8Array | string): Promise<unknown> {
    const index = Number(typeof data === "string" ? data : new TextDecoder().decode(data));
    return Promise.resolve(this.#values[index]);
  }
}

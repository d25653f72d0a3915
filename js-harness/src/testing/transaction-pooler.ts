// A pooler in transaction mode in front of a real Postgres: a client has a connection of the server from
// the first message of a transaction to its end, and then whoever waits longest has it. As with
// pgbouncer, nothing is reset in between, so that what a session keeps is met by somebody else.
//
// It passes messages on as they are. It knows of the protocol only where a message ends, which messages
// are answered with ReadyForQuery, and what that says of the transaction.

import { once } from "node:events";
import { createServer, Socket, type AddressInfo } from "node:net";

import pg from "pg";

export interface TransactionPooler {
  /** The server's URL, with the pooler in its place. */
  url: string;
  /** How often a connection was given to a client other than the one that had it before. */
  readonly handovers: number;
  /** The names of statements that clients have prepared; another connection does not know them. */
  readonly namedStatements: readonly string[];
  close(): Promise<void>;
}

/** @param size how many connections of the server there are; few, so that they change hands */
export async function transactionPooler(
  serverUrl: string,
  size: number,
): Promise<TransactionPooler> {
  const backends = new Backends(serverUrl, size);
  const clients = new Set<Client>();
  // Messages are passed on one by one: none waits until the other side has acknowledged the last one.
  const server = createServer({ noDelay: true }, (socket) => {
    const client = new Client(socket, backends);
    clients.add(client);
    socket.on("close", () => clients.delete(client));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    get handovers() {
      return backends.handovers;
    },
    namedStatements: backends.namedStatements,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const client of clients) client.end();
      backends.close();
      await closed;
    },
  };
}

/** One connection of the server, logged in. */
interface Backend {
  socket: Socket;
  /** Who had it last. */
  last: Client | undefined;
  /** Who has it. */
  client: Client | undefined;
}

/** The connections of the server, opened when they are asked for. */
class Backends {
  readonly #url: string;
  readonly #size: number;
  readonly #free: Backend[] = [];
  readonly #waiting: ((backend: Backend | Error) => void)[] = [];
  readonly #all = new Set<Backend>();
  #opening = 0;
  handovers = 0;
  readonly namedStatements: string[] = [];

  constructor(url: string, size: number) {
    this.#url = url;
    this.#size = size;
  }

  async take(client: Client): Promise<Backend> {
    // Another one than last time wherever there is one, as whoever is behind a pooler must expect.
    const isComplete = this.#all.size + this.#opening >= this.#size;
    const backend = isComplete ? (this.#free.shift() ?? (await this.#next())) : await this.#open();
    if (backend.last !== undefined && backend.last !== client) this.handovers += 1;
    backend.client = backend.last = client;
    return backend;
  }

  giveBack(backend: Backend): void {
    backend.client = undefined;
    if (backend.socket.destroyed) return;
    const waiting = this.#waiting.shift();
    if (waiting) waiting(backend);
    else this.#free.push(backend);
  }

  close(): void {
    for (const { socket } of this.#all) socket.destroy();
  }

  async #next(): Promise<Backend> {
    const next = await new Promise<Backend | Error>((resolve) => this.#waiting.push(resolve));
    if (next instanceof Error) throw next;
    return next;
  }

  /** The client of pg logs in; what comes after that is between the server and the pooler's client. */
  async #open(): Promise<Backend> {
    this.#opening += 1;
    const login = new pg.Client({ connectionString: this.#url });
    login.on("error", () => undefined);
    try {
      await login.connect();
    } catch (error) {
      // Whoever waits for a connection that will not come is told so.
      for (const waiting of this.#waiting.splice(0)) waiting(error as Error);
      throw error;
    } finally {
      this.#opening -= 1;
    }
    const { stream } = (login as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners("data");
    const backend: Backend = { socket: stream, last: undefined, client: undefined };
    this.#all.add(backend);
    stream.on(
      "data",
      messages((type, message) => backend.client?.fromServer(type, message)),
    );
    stream.on("close", () => {
      this.#all.delete(backend);
      const place = this.#free.indexOf(backend);
      if (place >= 0) this.#free.splice(place, 1);
      backend.client?.end();
      this.#replace();
    });
    return backend;
  }

  /** A connection that has ended leaves its place to whoever waits. */
  #replace(): void {
    const waiting = this.#waiting.shift();
    if (!waiting) return;
    this.#open().then(waiting, (error: unknown) => waiting(error as Error));
  }
}

/** Messages that are answered with ReadyForQuery: Query, Sync and FunctionCall. */
const ASKS = new Set(["Q", "S", "F"]);
const TERMINATE = "X";
const PARSE = "P";
const READY = "Z";
const IDLE = "I".charCodeAt(0);

/** One client, which believes that it is logged in to the server. */
class Client {
  readonly #socket: Socket;
  readonly #backends: Backends;
  #backend: Backend | undefined;
  #taking = false;
  /** What the client has said while it waited for a connection. */
  #unsent: Buffer[] = [];
  /** Answers that have not come yet. */
  #asked = 0;

  constructor(socket: Socket, backends: Backends) {
    this.#socket = socket;
    this.#backends = backends;
    socket.on("error", () => undefined);
    socket.once("data", () => {
      // The start-up message. Whoever may connect to a test's pooler may log in.
      socket.write(Buffer.concat([authenticationOk(), readyForQuery()]));
      socket.on(
        "data",
        messages((type, message) => this.#fromClient(type, message)),
      );
    });
    socket.on("close", () => {
      // In the middle of a transaction, which must not go to somebody else.
      this.#backend?.socket.destroy();
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  fromServer(type: string, message: Buffer): void {
    this.#socket.write(message);
    if (type !== READY) return;
    this.#asked -= 1;
    if (this.#asked > 0 || message[5] !== IDLE || !this.#backend) return;
    const backend = this.#backend;
    this.#backend = undefined;
    this.#backends.giveBack(backend);
  }

  #fromClient(type: string, message: Buffer): void {
    if (type === TERMINATE) {
      this.#socket.end();
      return;
    }
    if (ASKS.has(type)) this.#asked += 1;
    if (type === PARSE) {
      // The name comes first, and ends with a NUL; that of an ordinary query is empty.
      const name = message.toString("utf8", 5, message.indexOf(0, 5));
      if (name !== "") this.#backends.namedStatements.push(name);
    }
    if (this.#backend) {
      this.#backend.socket.write(message);
      return;
    }
    this.#unsent.push(message);
    void this.#take();
  }

  async #take(): Promise<void> {
    if (this.#taking) return;
    this.#taking = true;
    try {
      const backend = await this.#backends.take(this);
      if (this.#socket.destroyed) {
        this.#backends.giveBack(backend);
        return;
      }
      this.#backend = backend;
      for (const message of this.#unsent.splice(0)) backend.socket.write(message);
    } catch {
      this.#socket.destroy();
    } finally {
      this.#taking = false;
    }
  }
}

/** Cuts a stream into messages: a type, the length of the rest, and the rest. */
function messages(told: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0);
  return (chunk) => {
    kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    while (kept.length >= 5) {
      const length = 1 + kept.readInt32BE(1);
      if (kept.length < length) return;
      const message = kept.subarray(0, length);
      kept = kept.subarray(length);
      told(String.fromCharCode(message[0] ?? 0), message);
    }
  };
}

function authenticationOk(): Buffer {
  return Buffer.from(["R".charCodeAt(0), 0, 0, 0, 8, 0, 0, 0, 0]);
}

function readyForQuery(): Buffer {
  return Buffer.from([READY.charCodeAt(0), 0, 0, 0, 5, IDLE]);
}

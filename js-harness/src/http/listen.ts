import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

/** A server that accepts connections. */
export interface Listening {
  /** Without a slash at the end. */
  url: string;
  /** Accepts nothing more; answers when what was asked has been answered. */
  close(): Promise<void>;
  /** Ends the connections that are still open, whatever they are in the middle of. */
  drop(): void;
}

/**
 * Listens on the loopback interface. The handler is made when the port is known, because some of what
 * it serves says where it is served.
 */
export async function listen(
  port: number,
  handlerAt: (url: string) => RequestListener,
): Promise<Listening> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No TCP port was assigned.");
  const url = `http://127.0.0.1:${address.port}`;
  server.on("request", handlerAt(url));

  const closed = once(server, "close");
  let closing = false;
  server.on("request", (_request, response) => {
    // A client keeps its connection after the last answer, and would be waited for.
    response.on("close", () => {
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
  });
  return {
    url,
    close: async () => {
      closing = true;
      if (server.listening) server.close();
      server.closeIdleConnections();
      await closed;
    },
    drop: () => server.closeAllConnections(),
  };
}

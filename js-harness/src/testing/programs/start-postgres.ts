// Starts a throwaway server, sends its address, and waits to be killed.

import { startPostgres } from "../postgres-server.js";

const { url } = await startPostgres();
process.send?.({ url });
setInterval(() => {}, 60_000);

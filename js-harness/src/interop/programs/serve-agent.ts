// Serves the graph `ask` as an agent, on `sqlite <path>` or `postgres <url>`, until it is killed. Sends
// where it is served.

import { a2aMount } from "../../a2a/mount.js";
import { openPostgresHost, openSqliteHost } from "../../host.js";

const [kind = "", place = ""] = process.argv.slice(2);
const settings = { mount: a2aMount({ assistantId: "ask" }) };
const host =
  kind === "sqlite"
    ? await openSqliteHost({ ...settings, path: place })
    : await openPostgresHost({ ...settings, url: place });
process.send?.((await host.listen()).url);

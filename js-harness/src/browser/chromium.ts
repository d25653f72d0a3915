// A real Chromium with pages of the tests: the machine's own, driven by playwright.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { chromium, type Browser, type Page } from "playwright-core";

/** Debian's; another place can be named. */
const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Why there is no browser here, or null. On CI there has to be one. */
export function missingBrowser(): string | null {
  if (existsSync(EXECUTABLE) || process.env["CI"]) return null;
  return `${EXECUTABLE} is not installed: the tests in a real browser are left out. Install chromium to run them.`;
}

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
];

/** A browser, and the origin that serves the test's pages to it. */
export interface BrowserWithPages {
  /** Opens one more page of the same origin and the same profile. */
  openPage(): Promise<Page>;
  close(): Promise<void>;
}

export async function openBrowser(): Promise<BrowserWithPages> {
  const server = await servePages();
  const browser: Browser = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
  const context = await browser.newContext();
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was assigned.");
  return {
    openPage: async () => {
      const page = await context.newPage();
      await page.goto(`http://localhost:${address.port}/`);
      await page.evaluate("calls.ready()");
      return page;
    },
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

/** Serves one page with the package bundled for browsers, and the WebAssembly file beside it. */
async function servePages(): Promise<Server> {
  const bundled = await build({
    entryPoints: [fileURLToPath(new URL("pages/store.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  const script = bundled.outputFiles[0]?.text ?? "";
  const wasm = await readFile(
    new URL("../../node_modules/skein-results/dist/wasm/skein_results.wasm", import.meta.url),
  );
  const files: Record<string, [type: string, body: string | Buffer]> = {
    "/": ["text/html", '<!doctype html><script type="module" src="/page.js"></script>'],
    "/page.js": ["text/javascript", script],
    "/skein_results.wasm": ["application/wasm", wasm],
  };
  const server = createServer((request, response) => {
    const [type, body] = files[request.url ?? ""] ?? ["text/plain", ""];
    response.writeHead(body === "" ? 404 : 200, { "content-type": type }).end(body);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return server;
}

// The machine's own browser, for the tests that need a real one.

import { existsSync } from "node:fs";

/** Debian's chromium and chromium-driver; other places can be named. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const CHROMEDRIVER = process.env.CHROMEDRIVER ?? "/usr/bin/chromedriver";

/**
 * The arguments of wasm-pack for the tests in a browser, or null where there is none. On CI there has
 * to be one.
 */
export function findBrowser() {
  const isThere = existsSync(CHROMIUM) && existsSync(CHROMEDRIVER);
  if (!isThere && !process.env.CI) return null;
  const driver = ["--headless", "--chrome", "--chromedriver", CHROMEDRIVER];
  return ["test", ...driver, "--features", "browser-tests", "--test", "browser"];
}

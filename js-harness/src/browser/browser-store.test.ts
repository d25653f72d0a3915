// The browser's own store in real pages: the conformance suite on both storages, and two tabs that race.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { missingBrowser, openBrowser, type BrowserWithPages } from "./chromium.js";

const missing = missingBrowser();
if (missing) console.warn(missing);

const ROUNDS = 40;

describe.runIf(!missing)("in a real browser", () => {
  let browser: BrowserWithPages;
  let one: Page;
  let two: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    one = await browser.openPage();
    two = await browser.openPage();
  });
  afterAll(() => browser.close());

  const call = (page: Page, name: string, ...given: string[]): Promise<unknown> =>
    page.evaluate(`calls.${name}(${given.map((text) => JSON.stringify(text)).join(", ")})`);

  it.each(["local", "session"])(
    "keeps every rule of the conformance suite in %s storage",
    async (storage) => {
      const names = (await call(one, "caseNames")) as string[];
      const broken: string[] = [];
      for (const name of names) {
        await call(one, "runCase", storage, name).catch((error: unknown) => {
          broken.push(isTooLarge(error) ? `${name}: too large for the storage` : String(error));
        });
      }
      // A browser keeps some five million characters, and says so.
      expect(
        broken.filter((violation) => !violation.endsWith("too large for the storage")),
      ).toEqual([]);
      expect(broken.length).toBeLessThan(3);
      expect(names.length).toBeGreaterThan(40);
    },
  );

  it("works or fails with a code over junk in the place of any argument", async () => {
    expect(await call(one, "junk")).toEqual([]);
  });

  it("lets one of two tabs win that record at the same time, as a whole", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const runId = `record-${round}`;
      await call(one, "create", runId);
      await Promise.all([call(one, "record", runId, "one"), call(two, "record", runId, "two")]);
      const [seenByOne, seenByTwo] = await Promise.all([
        call(one, "read", runId),
        call(two, "read", runId),
      ]);
      expect(seenByOne).toEqual(seenByTwo);
      const { reply } = seenByOne as { reply: string };
      expect(seenByOne).toEqual({ values: { values: reply }, reply });
    }
  });

  it("lets one of two tabs win that settle and cancel at the same time", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const runId = `settle-${round}`;
      await call(one, "create", runId);
      const [settled, cancelled] = (await Promise.all([
        call(one, "settle", runId, "done"),
        call(two, "cancel", runId),
      ])) as { status: string; won: boolean }[];
      expect([settled?.won, cancelled?.won].filter(Boolean)).toHaveLength(1);
      expect(settled?.status).toBe(cancelled?.status);
      const result = await call(two, "read", runId);
      expect(result !== null).toBe(settled?.won);
    }
  });
});

/** The typed failure of a full storage, which is the browser's to have. */
function isTooLarge(error: unknown): boolean {
  return String(error).includes("storage did not take the run");
}

it.runIf(missing)("says that the browser was left out", () => {
  expect(missing).toContain("left out");
});

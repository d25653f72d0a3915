import { conformanceCases, type OpenStore } from "skein-results/conformance";
import { describe, expect, it } from "vitest";

/** Defines a test for each rule, and one that the store lacks exactly what it is known to lack. */
export function describeConformance(
  name: string,
  open: OpenStore,
  lacking: readonly string[] = [],
): void {
  describe(`the contract on ${name}`, () => {
    const found = new Set<string>();
    for (const { name, run } of conformanceCases(open)) {
      it(name, async () => {
        const { lacks } = await run();
        if (lacks !== null) found.add(lacks);
      });
    }
    it(`lacks ${lacking.length > 0 ? lacking.join(", ") : "nothing"}`, () => {
      expect([...found].sort()).toEqual([...lacking].sort());
    });
  });
}

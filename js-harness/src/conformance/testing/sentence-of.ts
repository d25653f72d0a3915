import { conformanceCases, type OpenStore } from "skein-results/conformance";

/** The sentence with which the case of this name fails a store; null for a store that passes. */
export async function sentenceOf(name: string, open: OpenStore): Promise<string | null> {
  const found = conformanceCases(open).find((candidate) => candidate.name === name);
  if (!found) throw new Error(`There is no case "${name}".`);
  try {
    await found.run();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

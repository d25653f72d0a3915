/** A compiled module: where its sources are, where it stands, and what it exports. */
export interface MigrationAsset {
  sources: string;
  asset: string;
  name: string;
  typeFrom: string;
}

/** The compiled modules. */
export const ASSETS: readonly MigrationAsset[];

/** The text of a compiled module, from its sources as they are now. */
export function compiled(target: MigrationAsset): string;

// One hash over the contents of files and folders, to tell whether a build has to be made again.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The hash of what the paths below `root` hold now; a path that is absent counts as such. */
export function contentHash(root, paths) {
  const hash = createHash("sha256");
  for (const path of paths) add(hash, root, path);
  return hash.digest("hex");
}

function add(hash, root, path) {
  const absolute = join(root, path);
  hash.update(`\0${path}\0`);
  if (!existsSync(absolute)) return;
  if (statSync(absolute).isDirectory()) {
    for (const name of readdirSync(absolute).sort()) add(hash, root, join(path, name));
  } else {
    hash.update(readFileSync(absolute));
  }
}

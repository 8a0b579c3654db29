import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the text of a file below `root`; empty if it does not exist. */
export function readText(root: string, file: string): string {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

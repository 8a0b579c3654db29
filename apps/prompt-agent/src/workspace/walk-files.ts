import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { Workspace } from './workspace.ts';

const MAX_FILES = 20_000;
const MAX_RULES_BYTES = 262_144;

/** The rules of one `.gitignore` and the folder that they apply to. */
interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

/**
 * Yields the files below a path of the workspace, sorted, relative to its root. Skips what usually holds credentials, `node_modules`, symbolic links and
 * what the `.gitignore` files from the root down ignore. A file that is named directly is yielded in any case.
 */
export async function* walkFiles(workspace: Workspace, path: string, signal: AbortSignal): AsyncGenerator<string> {
  const start = await workspace.locate(path);
  if (!(await lstat(start)).isDirectory()) {
    yield workspace.show(start);
    return;
  }
  let left = MAX_FILES;
  const visit = async function* (folder: string, above: readonly Rules[]): AsyncGenerator<string> {
    signal.throwIfAborted();
    const rules = [...above, ...(await readRules(workspace, folder))];
    const entries = await workspace.readFolder(workspace.show(folder)).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const absolute = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (entry.name === 'node_modules' || workspace.isPrivate(absolute)) continue;
      if (isIgnored(workspace, absolute, isFolder, rules)) continue;
      if (isFolder) yield* visit(absolute, rules);
      else if (entry.isFile() && left > 0) {
        left -= 1;
        yield workspace.show(absolute);
      }
      if (left === 0) return;
    }
  };
  yield* visit(start, await rulesAbove(workspace, start));
}

async function rulesAbove(workspace: Workspace, start: string): Promise<readonly Rules[]> {
  if (start === workspace.root) return [];
  const parent = dirname(start);
  return [...(await rulesAbove(workspace, parent)), ...(await readRules(workspace, parent))];
}

async function readRules(workspace: Workspace, folder: string): Promise<readonly Rules[]> {
  const opened = await workspace.openFile(workspace.show(join(folder, '.gitignore'))).catch(() => undefined);
  if (opened === undefined) return [];
  try {
    return opened.stats.size > MAX_RULES_BYTES
      ? []
      : [{ folder, rules: ignore().add(await opened.file.readFile('utf8')) }];
  } finally {
    await opened.file.close();
  }
}

/** The deepest file that has a matching rule decides, as in Git. */
function isIgnored(workspace: Workspace, absolute: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const prefix = workspace.show(folder);
    const shown = workspace.show(absolute);
    const below = prefix === '.' ? shown : shown.slice(prefix.length + 1);
    const verdict = own.test(isFolder ? `${below}/` : below);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

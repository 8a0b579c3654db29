import { truncate, visibleText } from '@kernel/internal';
import { toolError } from '../workspace/errors.ts';
import type { Workspace } from '../workspace/index.ts';
import { lineage } from '../workspace/paths.ts';

const ROOT = '/memories';
const MAX_DEPTH = 8;
const MAX_NAME = 200;

/**
 * Returns the path in the workspace for one that begins with `/memories`. Refuses every path that could be read as another one: encoded, with `..` that
 * leads out, with backslashes, unseen characters or hidden names.
 */
export function toWorkspacePath(workspace: Workspace, path: string): string {
  const shown = shownPath(path);
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) throw toolError(`Path must start with /memories, got: ${shown}`);
  const relative = path.slice(ROOT.length).replace(/^\/+/, '');
  if (/%(?:2e|2f|5c|00|25)/i.test(relative) || relative.split(/[/\\]/).includes('..'))
    throw toolError(`Path ${shown} would escape /memories directory`);
  if (relative.includes('\\') || visibleText(relative) !== relative || /[\n\t]/.test(relative))
    throw toolError(`Path ${shown} has characters that names in /memories may not have.`);
  const normal = workspace.normalize(relative === '' ? '.' : relative);
  const names = normal === '.' ? [] : normal.split('/');
  if (names.some((name) => name.startsWith('.')))
    throw toolError(`Path ${shown} has a hidden name; hidden items are not part of /memories.`);
  if (lineage(normal).length > MAX_DEPTH || names.some((name) => name.length > MAX_NAME))
    throw toolError(`Path ${shown} is too long: at most ${MAX_DEPTH} names of ${MAX_NAME} characters.`);
  return normal;
}

export function toMemoryPath(path: string): string {
  return path === '.' ? ROOT : `${ROOT}/${path}`;
}

/** A path from a model as it is shown: bounded, on one line. */
export function shownPath(path: string): string {
  const shown = visibleText(path).replaceAll('\n', String.raw`\n`);
  return truncate(shown, 301);
}

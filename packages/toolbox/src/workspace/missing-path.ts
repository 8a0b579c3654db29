import type { KernelError } from '@kernel/protocol';
import { nearest, visibleLine } from '@kernel/internal';
import { foldText } from '../text/fold-text.ts';
import { missingError, quote, quoteAscii } from './errors.ts';
import { joinPath, lineage, nameOf, parentOf } from './paths.ts';
import type { Storage } from './storage.ts';

const MAX_LENGTH = 100;

/** Creates the error for a path that leads to nothing, with one that resembles it, if there is any that may be shown. */
export async function missingPath(storage: Storage, path: string): Promise<KernelError> {
  const near = await nearestPath(storage, path).catch(() => undefined);
  return missingError(path, undefined, near === undefined ? '' : ` Did you mean ${describeNear(near, path)}?`);
}

/** An existing path in which the first part that does not exist is replaced by the nearest name in its folder. */
async function nearestPath(storage: Storage, wanted: string): Promise<string | undefined> {
  for (const path of lineage(wanted)) {
    if ((await storage.find(path)) !== undefined) continue;
    const folder = parentOf(path);
    const entries = await storage.list(folder, {});
    const names = entries.map(({ name }) => name).filter((name) => storage.allows('read', joinPath(folder, name)));
    const near = nearestName(nameOf(path), names);
    if (near === undefined) return undefined;
    const whole = joinPath(folder, near) + wanted.slice(path.length);
    const isThere = storage.allows('read', whole) && (await storage.find(whole)) !== undefined;
    return isThere ? whole : joinPath(folder, near);
  }
  return undefined;
}

/** A path in quotes, and as it is written in JSON if it cannot be told from another one by looking at it, or is not seen whole. */
export function describeNear(path: string, other: string): string {
  const isClear = visibleLine(path) === path && foldText(path).text !== foldText(other).text;
  return isClear ? quote(path) : `${quote(path)}, in JSON ${quoteAscii(path)}`;
}

/** The name that differs only in case, in characters that look the same, or by its extension, otherwise the one that is fewest edits away, if any is near. */
export function nearestName(missing: string, names: readonly string[]): string | undefined {
  const wanted = missing.toLowerCase();
  const seen = foldText(wanted).text;
  const sameName =
    names.find((name) => name.toLowerCase() === wanted) ??
    names.find((name) => foldText(name.toLowerCase()).text === seen);
  const withExtension = sameName ?? names.find((name) => name.toLowerCase().startsWith(`${wanted}.`));
  return withExtension ?? (wanted.length > MAX_LENGTH ? undefined : nearest(missing, names, 1)[0]);
}

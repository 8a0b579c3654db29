import { sliceHead } from '@kernel/internal';
import { foldText } from '../text/fold-text.ts';
import { describeNear } from '../workspace/missing-path.ts';
import type { Workspace, FileInfo } from '../workspace/index.ts';
import { joinPath, nameOf, parentOf } from '../workspace/paths.ts';
import { quote } from '../workspace/errors.ts';

/** Returns a text such as `1 line` or `2 lines`. */
export function count(number: number, word: string): string {
  return `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`;
}

/** A text, or its beginning with a note on how much is left out. */
export function bounded(text: string, most: number): string {
  return text.length <= most ? text : `${sliceHead(text, most)}\n… (${text.length - most} more characters)`;
}

/** What a model has to know of a file that it has made beside one whose name looks the same; empty if there is none. */
export async function alikeNote(workspace: Workspace, path: string, signal: AbortSignal): Promise<string> {
  const normal = workspace.normalize(path);
  const [folder, name] = [parentOf(normal), nameOf(normal)];
  const seen = foldText(name).text;
  // What was written is written, whether or not the rest of the folder can be listed.
  const entries = await workspace.list(folder, { signal }).catch(() => []);
  const other = entries.find((each) => each.name !== name && foldText(each.name).text === seen)?.name;
  if (other === undefined || !workspace.allows('read', joinPath(folder, other))) return '';
  return ` Beside it is ${describeNear(joinPath(folder, other), normal)}, whose name looks the same: if that was meant, delete this one.`;
}

/** The versions in which the tools of a workspace last showed each file to the model. */
const seen = new WeakMap<Workspace, Map<string, string>>();

export function noteSeen(workspace: Workspace, { path, version }: Pick<FileInfo, 'path' | 'version'>): void {
  const versions = seen.get(workspace) ?? new Map<string, string>();
  seen.set(workspace, versions.set(path, version));
}

/** A sentence for the model if a file is not as it last knew it; empty if it is, or if it never read it. */
export function staleNote(workspace: Workspace, { path, version }: Pick<FileInfo, 'path' | 'version'>): string {
  const known = seen.get(workspace)?.get(path);
  if (known === undefined || known === version) return '';
  return ` Note: ${quote(path)} had changed since you read it; read it again before you rely on the rest of it.`;
}

import { foldText } from '../text/fold-text.ts';
import { describeNear } from '../workspace/missing-path.ts';
import type { Workspace } from '../workspace/index.ts';
import { joinPath, nameOf, parentOf } from '../workspace/paths.ts';

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

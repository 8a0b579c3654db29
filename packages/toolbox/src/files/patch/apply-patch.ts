import { objectSchema } from '../../object-schema.ts';
import { visibleText } from '@kernel/internal';
import type { Tool, ToolWithHandler, ToolResult } from '@kernel/protocol';
import { quote } from '../../workspace/errors.ts';
import type { Edit, Workspace } from '../../workspace/index.ts';
import { alikeNote, bounded, count, noteSeen, staleNote } from '../describe.ts';
import { checkLoss, readTextFile, toContent } from '../text-file.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FilePatch, parsePatch } from './parse-patch.ts';

const MAX_SHOWN = 20_000;

const tool: Tool = {
  name: 'apply_patch',
  title: 'Apply a patch',
  description: `Changes several files at once, or none if a part does not fit. Form:
*** Begin Patch
*** Update File: a.py
*** Move to: b.py (optional)
@@ def f():
 context line
-removed line
+added line
*** Add File: c.txt
+its line
*** Delete File: d.txt
*** End Patch
Give three lines of context around each change; "@@" and a line above it, such as a function, find the place.`,
  parameters: objectSchema(['patch'], { patch: { type: 'string', minLength: 1, description: 'The patch.' } }),
  effect: 'write',
  metadata: { category: 'code', usageHint: 'To change several files, or several places, with one patch.' },
};

/** Creates the tool `apply_patch`, for patches in the V4A format, which apply completely or not at all. */
export function applyPatchTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async ({ patch }: { readonly patch: string }, { signal }): Promise<ToolResult> => {
      const plans: Plan[] = [];
      for (const each of parsePatch(patch)) plans.push(await plan(workspace, each, signal));
      const edits = plans.flatMap(({ edits: own }) => own);
      const { id } = await workspace.apply(edits, { signal });
      const lines: string[] = [];
      for (const { done, edits: own, path } of plans) {
        if (path !== undefined) noteSeen(workspace, await workspace.stat(path, { signal }));
        const isNew = own.some(
          (edit) => edit.type === 'move' || (edit.type === 'write' && edit.ifVersion === 'absent'),
        );
        lines.push(path !== undefined && isNew ? done + (await alikeNote(workspace, path, signal)) : done);
      }
      return {
        forLLM: `Done (change ${id}):\n${lines.join('\n')}`,
        forUser: visibleText(bounded(patch.trim(), MAX_SHOWN)),
      };
    },
  };
}

interface Plan {
  readonly edits: readonly Edit[];
  readonly done: string;
  /** Where the file is afterwards. */
  readonly path?: string;
}

async function plan(workspace: Workspace, patch: FilePatch, signal: AbortSignal): Promise<Plan> {
  const { path } = patch;
  if (patch.type === 'delete') return { edits: [{ type: 'remove', path }], done: `D ${quote(path)}` };
  if (patch.type === 'add') {
    const content = patch.lines.map((line) => `${line}\n`).join('');
    return { edits: [{ type: 'write', path, content, ifVersion: 'absent' }], done: `A ${quote(path)}`, path };
  }
  const file = await readTextFile(workspace, path, signal);
  const { loose, text } = applyHunks(path, file, patch.hunks);
  checkLoss(path, file.text, text);
  const content = toContent(path, file.format, text);
  const write: Edit = { type: 'write', path, content, ifVersion: file.info.version };
  const fitted =
    loose === 0
      ? ''
      : ` ${count(loose, 'hunk')} matched only without comparing the kind of quotes, dashes, spaces, accents and unseen characters; check the result.`;
  const notes = fitted + staleNote(workspace, file.info);
  if (patch.to === undefined) return { edits: [write], done: `M ${quote(path)}${notes}`, path };
  const move: Edit = { type: 'move', from: path, to: patch.to };
  return { edits: [write, move], done: `M ${quote(path)} to ${quote(patch.to)}${notes}`, path: patch.to };
}

import type { Tool, ToolImplementation, ToolResult } from '@kernel/protocol';
import { visibleText } from '../../text/visible.ts';
import { quote } from '../../workspace/errors.ts';
import type { Edit, Workspace } from '../../workspace/index.ts';
import { bounded } from '../describe.ts';
import { noteSeen, staleNote } from '../seen.ts';
import { readTextFile, toContent } from '../text-file.ts';
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
  parameters: {
    type: 'object',
    properties: { patch: { type: 'string', minLength: 1, description: 'The patch.' } },
    required: ['patch'],
    additionalProperties: false,
  },
  effect: 'write',
  metadata: { category: 'code', usageHint: 'To change several files, or several places, with one patch.' },
};

/** Creates the tool `apply_patch`, for patches in the V4A format, which apply completely or not at all. */
export function applyPatchTool(workspace: Workspace): ToolImplementation {
  return {
    tool,
    handler: async ({ patch }: { readonly patch: string }, { signal }): Promise<ToolResult> => {
      const plans: Plan[] = [];
      for (const each of parsePatch(patch)) plans.push(await plan(workspace, each, signal));
      const edits = plans.flatMap(({ edits: own }) => own);
      const { id } = await workspace.apply(edits, { signal });
      for (const { path } of plans) if (path !== undefined) noteSeen(workspace, await workspace.stat(path, { signal }));
      return {
        forLLM: `Done (change ${id}):\n${plans.map(({ done }) => done).join('\n')}`,
        forUser: visibleText(bounded(patch.trim(), MAX_SHOWN)),
      };
    },
  };
}

/** What becomes of one file. */
interface Plan {
  readonly edits: readonly Edit[];
  /** What was done, for the model. */
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
  const content = toContent(path, file.format, applyHunks(path, file, patch.hunks));
  const write: Edit = { type: 'write', path, content, ifVersion: file.info.version };
  const stale = staleNote(workspace, file.info);
  if (patch.to === undefined) return { edits: [write], done: `M ${quote(path)}${stale}`, path };
  const move: Edit = { type: 'move', from: path, to: patch.to };
  return { edits: [write, move], done: `M ${quote(path)} to ${quote(patch.to)}${stale}`, path: patch.to };
}

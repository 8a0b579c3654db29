import { objectSchema } from '../../object-schema.ts';
import { visibleText, visibleLine } from '@kernel/internal';
import type { Tool, ToolWithHandler, ToolResult } from '@kernel/protocol';
import { quote } from '../../workspace/errors.ts';
import type { Workspace } from '../../workspace/index.ts';
import { count, noteSeen, staleNote } from '../describe.ts';
import { checkLoss, readTextFile, toContent } from '../text-file.ts';
import { locateEdits } from './find-text.ts';
import { applyReplacements, unifiedDiff, lineList, type TextEdit } from './line-diff.ts';

const tool: Tool = {
  name: 'edit_file',
  title: 'Edit a file',
  description: 'Replaces pieces of text in a file of the workspace: all of the edits, or none if one does not fit.',
  parameters: objectSchema(['path', 'edits'], {
    path: { type: 'string', minLength: 1, description: 'Path of the file.' },
    edits: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'Each is looked up in the file as it is now.',
      items: objectSchema(['old_text', 'new_text'], {
        old_text: {
          type: 'string',
          description: 'The exact text to replace, with enough around it to occur only once.',
        },
        new_text: { type: 'string', description: 'What takes its place.' },
        replace_all: { type: 'boolean', description: 'Whether every occurrence is replaced.' },
      }),
    },
  }),
  effect: 'write',
  metadata: { category: 'code', usageHint: 'To change parts of a file that exists.' },
};

interface Input {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

/**
 * Creates the tool `edit_file`, which replaces exact texts: all of them or none. Line endings, a byte order mark and the encoding are kept. A text that
 * differs only in white space, in the kind of quotes, dashes, accents or unseen characters, or in how line breaks are written, matches if there is only one such
 * place. The user sees a unified diff, the model a summary.
 */
export function editFileTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async ({ edits, path }: Input, { signal }): Promise<ToolResult> => {
      const file = await readTextFile(workspace, path, signal);
      const { notes, replacements } = locateEdits(path, file, edits);
      const stale = staleNote(workspace, file.info);
      const after = applyReplacements(file.text, replacements);
      checkLoss(path, file.text, after);
      await workspace.write(path, toContent(path, file.format, after), { ifVersion: file.info.version, signal });
      noteSeen(workspace, await workspace.stat(path, { signal }));
      const places = lineList(file.text, replacements);
      const remarks = [...notes.map((note) => ` ${note}`), stale].join('');
      return {
        forLLM: `Edited ${quote(path)}: ${count(replacements.length, 'replacement')}, at what was ${places}.${remarks}`,
        forUser: visibleText(unifiedDiff(visibleLine(file.info.path), file.text, replacements)),
      };
    },
  };
}

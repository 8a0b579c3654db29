import { objectSchema } from '../object-schema.ts';
import { visibleLine } from '@kernel/internal';
import type { Tool, ToolWithHandler } from '@kernel/protocol';
import { quote } from '../workspace/errors.ts';
import type { DirectoryEntry, Workspace } from '../workspace/index.ts';

const MAX_ENTRIES = 1000;

const tool: Tool = {
  name: 'list_directory',
  title: 'List a folder',
  description: 'Lists the files and folders in a folder of the workspace.',
  parameters: objectSchema([], {
    path: { type: 'string', description: 'Folder, relative to the workspace. Absent: the workspace itself.' },
  }),
  effect: 'read',
  metadata: {
    category: 'code',
    usageHint:
      'To show the contents of a folder (ls, dir), what it contains, or tell which files are there, or count them.',
    examples: [
      { description: 'List the files in src', input: { path: 'src' } },
      { description: 'What is in the docs folder?', input: { path: 'docs' } },
      { description: 'What is in docs?', input: { path: 'docs' } },
      { description: "What's in docs?", input: { path: 'docs' } },
      { description: "Show me what's inside docs", input: { path: 'docs' } },
      { description: 'Show me docs', input: { path: 'docs' } },
      { description: 'How many files are in docs?', input: { path: 'docs' } },
      { description: 'Which files are there?', input: {} },
    ],
  },
};

/** Creates the tool `list_directory`: names, folders first with a trailing slash, sizes of files, and counts in the last line; at most 1,000 entries. */
export function listDirectoryTool(workspace: Workspace): ToolWithHandler {
  return {
    tool,
    handler: async ({ path = '.' }: { readonly path?: string }, { signal }): Promise<string> => {
      const entries = await workspace.list(path === '' ? '.' : path, { sizes: true, signal });
      if (entries.length === 0) return `${quote(path)} is empty.`;
      const sorted = entries.toSorted((a, b) => Number(isFolder(b)) - Number(isFolder(a)));
      const lines = sorted.slice(0, MAX_ENTRIES).map(lineOf);
      if (entries.length > MAX_ENTRIES)
        lines.push(`… and ${entries.length - MAX_ENTRIES} more; a glob finds them by their names`);
      return [...lines, countOf(entries)].join('\n');
    },
  };
}

function isFolder({ type }: DirectoryEntry): boolean {
  return type === 'directory';
}

function countOf(entries: readonly DirectoryEntry[]): string {
  const folders = entries.filter(isFolder).length;
  const files = entries.length - folders;
  const without = folders === 0 ? '' : ', whose content is not counted';
  return `(${files} ${files === 1 ? 'file' : 'files'}, ${folders} ${folders === 1 ? 'folder' : 'folders'}${without})`;
}

function lineOf({ name, size, type }: DirectoryEntry): string {
  const shown = visibleLine(name);
  if (type === 'directory') return `${shown}/`;
  if (type === 'link') return `${shown} (link)`;
  return `${shown} (${type === 'other' ? 'not a file' : size === undefined ? 'gone' : `${size} bytes`})`;
}

import type { Dirent } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from '@kernel/protocol';
import { bindTool, type ToolBinding } from '@kernel/tools';
import { toolError } from '../tool-error.ts';
import type { Workspace } from '../workspace/workspace.ts';

const MAX_ENTRIES = 1000;

const tool: Tool = {
  name: 'list_directory',
  title: 'List a folder',
  description: 'Lists the files and folders in a folder of the workspace.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Folder, relative to the workspace. Absent: the workspace itself.' },
    },
    additionalProperties: false,
  },
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

/**
 * Binds `list_directory`: sorted names, folders first with a trailing slash, sizes of files, and counts in the last line; at most 1,000
 * entries.
 */
export function listDirectoryTool(workspace: Workspace): ToolBinding {
  return bindTool<{ path?: string }>(tool, async ({ path = '.' }) => {
    const folder = path === '' ? '.' : path;
    const absolute = await workspace.locate(folder);
    if (!(await lstat(absolute)).isDirectory()) throw toolError(`"${path}" is a file, not a folder.`);
    const entries = (await workspace.readFolder(folder)).toSorted(byKindAndName);
    if (entries.length === 0) return `"${path}" is empty.`;
    const lines = await Promise.all(entries.slice(0, MAX_ENTRIES).map((entry) => lineOf(absolute, entry)));
    if (entries.length > MAX_ENTRIES) lines.push(`… and ${entries.length - MAX_ENTRIES} more`);
    return [...lines, countOf(entries)].join('\n');
  });
}

function countOf(entries: readonly Dirent[]): string {
  const folders = entries.filter((entry) => entry.isDirectory()).length;
  const files = entries.length - folders;
  return `(${files} ${files === 1 ? 'file' : 'files'}, ${folders} ${folders === 1 ? 'folder' : 'folders'})`;
}

function byKindAndName(a: Dirent, b: Dirent): number {
  return Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1);
}

async function lineOf(folder: string, entry: Dirent): Promise<string> {
  const name = JSON.stringify(entry.name).slice(1, -1);
  if (entry.isDirectory()) return `${name}/`;
  if (entry.isSymbolicLink()) return `${name} (link)`;
  const size = await lstat(join(folder, entry.name)).then(
    (stats) => `${stats.size} bytes`,
    () => 'gone',
  );
  return `${name} (${size})`;
}

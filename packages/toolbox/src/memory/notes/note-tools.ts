import { objectSchema } from '../../object-schema.ts';
import { sliceHead, visibleText } from '@kernel/internal';
import type { Tool, ToolWithHandler, ToolResult } from '@kernel/protocol';
import { bounded, count } from '../../files/describe.ts';
import { toolError } from '../../workspace/errors.ts';
import type { Workspace } from '../../workspace/index.ts';
import { memoryFiles, type MemoryLimits } from '../memory-files.ts';
import { type Note, noteStore } from './note-store.ts';

const DEFAULT_COUNT = 5;
const MAX_COUNT = 20;
const MAX_NOTE = 4000;

const REMEMBER: Tool = {
  name: 'remember',
  title: 'Remember',
  description: 'Keeps a note for later conversations.',
  parameters: objectSchema(['text'], {
    text: { type: 'string', minLength: 1, description: 'What to know later, so that it is clear by itself.' },
    tags: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 50 },
      maxItems: 20,
      description: 'Words to find it by.',
    },
  }),
  effect: 'write',
  metadata: { category: 'memory', usageHint: 'To keep a fact, a decision or a wish of the user.' },
};

const RECALL: Tool = {
  name: 'recall',
  title: 'Recall',
  description: 'Finds notes of earlier conversations by their words, best first; the newest ones without a query.',
  parameters: objectSchema([], {
    query: { type: 'string', maxLength: 1000 },
    tags: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 20,
      description: 'Only notes that have all of them.',
    },
    count: { type: 'integer', minimum: 1, maximum: MAX_COUNT },
  }),
  effect: 'read',
  metadata: { category: 'memory', usageHint: 'To look up what was noted before.' },
};

const FORGET: Tool = {
  name: 'forget',
  title: 'Forget',
  description: 'Removes a note for good.',
  parameters: objectSchema(['id'], { id: { type: 'string', description: 'The id that recall or remember gave.' } }),
  effect: 'write',
  metadata: { category: 'memory', usageHint: 'To remove a note that is wrong or no longer wanted.' },
};

interface Query {
  readonly query?: string;
  readonly tags?: readonly string[];
  readonly count?: number;
}

/**
 * Creates the tools `remember`, `recall` and `forget`: notes with tags and a time, each a Markdown file in the folder `notes` of a workspace that
 * allows writing, which can be the one of `memoryTool`. The user sees what was noted and what was forgotten.
 */
export function noteTools(workspace: Workspace, limits: MemoryLimits = {}): readonly ToolWithHandler[] {
  const store = noteStore(memoryFiles('noteTools', workspace, limits));
  return [
    {
      tool: REMEMBER,
      handler: async (
        { tags = [], text }: { readonly text: string; readonly tags?: readonly string[] },
        { signal },
      ): Promise<ToolResult> => {
        if (text.trim() === '') throw toolError('The note is empty; nothing was kept.');
        const note = await store.add(text, tags, signal);
        return { forLLM: `Noted as ${note.id}.`, forUser: `Memory: noted\n${show(note)}` };
      },
    },
    {
      tool: RECALL,
      handler: async (
        { count: most = DEFAULT_COUNT, query = '', tags = [] }: Query,
        { signal },
      ): Promise<ToolResult> => {
        const all = await store.find(query, signal);
        const wanted = tags.map(fold);
        const found = all.filter((note) => wanted.every((tag) => note.tags.some((each) => fold(each) === tag)));
        if (found.length === 0) return { forLLM: 'No note was found.', data: { notes: [] } };
        const shown = found.slice(0, most);
        const more = found.length > shown.length ? `\n\n(${count(found.length - shown.length, 'more note')})` : '';
        return {
          forLLM: `${shown.map(show).join('\n\n')}${more}`,
          data: { notes: shown.map((note) => ({ ...note })) },
        };
      },
    },
    {
      tool: FORGET,
      handler: async ({ id }: { readonly id: string }, { signal }): Promise<ToolResult> => {
        const note = await store.remove(id, signal);
        return { forLLM: `Forgot ${note.id}.`, forUser: `Memory: forgot\n${show(note)}` };
      },
    },
  ];
}

function show({ id, tags, text, time }: Note): string {
  const head = [id, sliceHead(time, 10), ...tags.map((tag) => `#${tag}`)].join(' ');
  return `[${visibleText(head).replaceAll('\n', ' ')}]\n${bounded(visibleText(text), MAX_NOTE)}`;
}

function fold(tag: string): string {
  return tag.normalize('NFKC').toLowerCase();
}

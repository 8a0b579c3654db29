import { truncate, visibleText } from '@kernel/internal';
import { errorResult, type ToolResult } from '@kernel/protocol';
import { bounded } from '../files/describe.ts';
import { createNearSearch } from '../files/edit/find-text.ts';
import { unifiedDiff, type Replaced } from '../files/edit/line-diff.ts';
import { toolError, unlessMissing } from '../workspace/errors.ts';
import type { MemoryFiles } from './memory-files.ts';
import { shownPath, toMemoryPath, toWorkspacePath } from './memory-path.ts';
import { numbered, readMemory, viewFolder, viewText } from './view.ts';

const MAX_SHOWN = 20_000;
const MAX_QUOTED = 400;
const MAX_PLACES = 20;
const CONTEXT = 2;

/** The arguments of a call: `command` says which of the others count. */
export interface MemoryInput {
  readonly command: string;
  readonly path?: string;
  /** `view`: the first and the last line, from 1; -1 is the end. */
  readonly view_range?: readonly number[];
  readonly file_text?: string;
  readonly old_str?: string;
  readonly new_str?: string;
  /** `insert`: the line after which; 0 is the beginning. */
  readonly insert_line?: number;
  readonly insert_text?: string;
  readonly old_path?: string;
  readonly new_path?: string;
}

type Command = (files: MemoryFiles, input: MemoryInput, signal: AbortSignal) => Promise<string | ToolResult>;

/** The six commands, with the texts that Anthropic documents for them. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  view: async (files, input, signal) => {
    const path = textOf(input, 'path');
    const at = toWorkspacePath(files.workspace, path);
    const info = await unlessMissing(files.workspace.stat(at, { signal }));
    if (info === undefined) return failed(`The path ${path} does not exist. Please provide a valid path.`);
    if (info.type === 'directory') return viewFolder(files, at, signal);
    return viewText(path, (await readMemory(files, at, signal)).text, input.view_range);
  },

  create: (files, input, signal) => {
    const path = textOf(input, 'path');
    const text = textOf(input, 'file_text');
    const at = toWorkspacePath(files.workspace, path);
    const change = async (): Promise<ToolResult> => {
      if (at === '.' || (await unlessMissing(files.workspace.stat(at, { signal }))) !== undefined)
        return failed(`Error: File ${path} already exists`);
      await files.write(at, text, 'absent', signal);
      return done(`File created successfully at: ${path}`, at, '', [{ start: 0, end: 0, text }]);
    };
    return files.exclusive(at, change, signal);
  },

  str_replace: (files, input, signal) => {
    const path = textOf(input, 'path');
    const old = textOf(input, 'old_str');
    const by = input.new_str ?? '';
    const at = toWorkspacePath(files.workspace, path);
    const change = async (): Promise<ToolResult> => {
      if ((await unlessMissing(files.workspace.stat(at, { signal })))?.type !== 'file')
        return failed(`Error: The path ${path} does not exist. Please provide a valid path.`);
      const { info, text } = await readMemory(files, at, signal);
      const places = placesOf(text, old);
      const near =
        places.length === 0 && old !== '' ? createNearSearch(text, '\n')({ old_text: old, new_text: by }) : undefined;
      const [start] = places;
      const replaced = start === undefined ? near?.places[0] : { start, end: start + old.length, text: by };
      if (replaced === undefined || (near !== undefined && near.places.length > 1))
        return failed(
          `No replacement was performed, old_str \`${quoted(old)}\` did not appear verbatim in ${path}${near?.why || '.'}`,
        );
      if (places.length > 1)
        return failed(
          `No replacement was performed. Multiple occurrences of old_str \`${quoted(old)}\` in lines: ${lineNumbers(text, places)}. Please ensure it is unique`,
        );
      const after = text.slice(0, replaced.start) + replaced.text + text.slice(replaced.end);
      await files.write(at, after, info, signal);
      const how = near === undefined ? '' : ` old_str matched only ${near.how}; check the result.`;
      const message = `The memory file has been edited.${how} Here is the snippet showing the change (with line numbers):\n${snippet(after, replaced.start, replaced.text)}`;
      return done(message, at, text, [replaced]);
    };
    return files.exclusive(at, change, signal);
  },

  insert: (files, input, signal) => {
    const path = textOf(input, 'path');
    const inserted = textOf(input, 'insert_text').replace(/\n$/, '');
    const { insert_line: line } = input;
    if (line === undefined) throw missing(input, 'insert_line');
    const at = toWorkspacePath(files.workspace, path);
    const change = async (): Promise<ToolResult> => {
      if ((await unlessMissing(files.workspace.stat(at, { signal })))?.type !== 'file')
        return failed(`Error: The path ${path} does not exist`);
      const { info, text } = await readMemory(files, at, signal);
      const lines = text.split('\n');
      if (line < 0 || line > lines.length)
        return failed(
          `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        );
      const start = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0);
      const replaced =
        start > text.length
          ? { start: text.length, end: text.length, text: `\n${inserted}` }
          : { start, end: start, text: `${inserted}\n` };
      await files.write(at, text.slice(0, replaced.start) + replaced.text + text.slice(replaced.end), info, signal);
      return done(`The file ${path} has been edited.`, at, text, [replaced]);
    };
    return files.exclusive(at, change, signal);
  },

  delete: (files, input, signal) => {
    const path = textOf(input, 'path');
    const at = toWorkspacePath(files.workspace, path);
    if (at === '.') throw toolError('Cannot delete the /memories directory itself');
    const change = async (): Promise<ToolResult> => {
      if ((await unlessMissing(files.workspace.stat(at, { signal }))) === undefined)
        return failed(`Error: The path ${path} does not exist`);
      await files.workspace.remove(at, { recursive: true, signal });
      return { forLLM: `Successfully deleted ${path}`, forUser: `Memory: deleted ${toMemoryPath(at)}` };
    };
    return files.exclusive(at, change, signal);
  },

  rename: (files, input, signal) => {
    const oldPath = textOf(input, 'old_path');
    const newPath = textOf(input, 'new_path');
    const from = toWorkspacePath(files.workspace, oldPath);
    const to = toWorkspacePath(files.workspace, newPath);
    if (from === '.') throw toolError('Cannot rename the /memories directory itself');
    const change = async (): Promise<ToolResult> => {
      if ((await unlessMissing(files.workspace.stat(from, { signal }))) === undefined)
        return failed(`Error: The path ${oldPath} does not exist`);
      if ((await unlessMissing(files.workspace.stat(to, { signal }))) !== undefined)
        return failed(`Error: The destination ${newPath} already exists`);
      if (to.startsWith(`${from}/`)) return failed(`Error: The destination ${newPath} is inside of ${oldPath}`);
      await files.checkEntries(to, 0, signal);
      await files.workspace.move(from, to, { signal });
      return {
        forLLM: `Successfully renamed ${oldPath} to ${newPath}`,
        forUser: `Memory: renamed ${toMemoryPath(from)} to ${toMemoryPath(to)}`,
      };
    };
    return files.exclusive(from, change, signal);
  },
};

function textOf(input: MemoryInput, name: 'path' | 'file_text' | 'old_str' | 'insert_text' | 'old_path' | 'new_path') {
  const value = input[name];
  if (value === undefined) throw missing(input, name);
  return value;
}

function missing({ command }: MemoryInput, name: string): Error {
  return toolError(`The command \`${command}\` needs \`${name}\`.`);
}

function failed(message: string): ToolResult {
  const shown = bounded(visibleText(message), MAX_SHOWN);
  return errorResult(shown, toolError(shown));
}

function done(forLLM: string, at: string, before: string, replaced: readonly Replaced[]): ToolResult {
  const diff = unifiedDiff(shownPath(toMemoryPath(at)).slice(1), before, replaced);
  return { forLLM, forUser: bounded(visibleText(diff), MAX_SHOWN) };
}

function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  if (part === '') return places;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function lineNumbers(text: string, places: readonly number[]): string {
  const numbers = new Set<number>();
  let line = 1;
  let newline = text.indexOf('\n');
  for (const place of places) {
    while (newline !== -1 && newline < place) {
      line += 1;
      newline = text.indexOf('\n', newline + 1);
    }
    numbers.add(line);
    if (numbers.size > MAX_PLACES) break;
  }
  const all = [...numbers];
  return all.length > MAX_PLACES ? `${all.slice(0, MAX_PLACES).join(', ')}, …` : all.join(', ');
}

function snippet(text: string, start: number, inserted: string): string {
  const first = text.slice(0, start).split('\n').length - 1;
  const last = first + inserted.split('\n').length - 1;
  const from = Math.max(0, first - CONTEXT);
  return bounded(numbered(text.split('\n').slice(from, last + 1 + CONTEXT), from + 1), MAX_SHOWN);
}

function quoted(text: string): string {
  return truncate(text, MAX_QUOTED + 1);
}

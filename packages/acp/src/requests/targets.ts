import { isObject } from '@kernel/internal';

/** What an agent may do to its copy without a question. */
export const FILE_KINDS = new Set(['think', 'read', 'search', 'edit', 'delete', 'move']);
/** The words that names of arguments of work on files are made of. */
const FILE_WORDS = new Set(
  `a abs absolute all append b c case change changes content contents count create depth description dest destination diff dir
  directory edit edits encoding end exclude expected explanation file filename filepath files folder folders from glob head hidden i id
  ignore include insensitive insert lang length limit line lines max min mode multiline n name new notebook num number offset old
  output overwrite page pages patch path paths pattern query range reason recursive regex relative replace replacement
  replacements results root sensitive source src start str string strings tail target text thought thoughts title to total type
  view`.split(/\s+/),
);
/** Names of arguments that are the text of a file, in which anything may stand. */
const TEXT_KEYS = /^(?:content|contents|text|diff|patch|(?:old|new)_?(?:string|str|text|content))$/i;
/** Names of arguments that are paths, also relative ones. */
const PATH_KEYS = /path|file|folder|dir|root|target|source|src|dest|^(?:from|to)$/i;
const MAX_VALUES = 1000;

/** Adds the places that a message about a call names; undefined once the call may do more than work on files. */
export function addTargets(
  known: readonly string[] | undefined,
  { content, kind }: Readonly<Record<string, unknown>>,
  input: unknown,
): readonly string[] | undefined {
  const hasTerminal = Array.isArray(content) && content.some((each) => isObject(each) && each['type'] === 'terminal');
  const isRelabelled = typeof kind === 'string' && kind !== 'other' && !FILE_KINDS.has(kind);
  const added = input === undefined || input === null ? [] : targetsOf(input);
  if (known === undefined || added === undefined || hasTerminal || isRelabelled) return undefined;
  const all = [...new Set([...known, ...added])];
  return all.length > MAX_VALUES ? undefined : all;
}

function targetsOf(input: unknown): readonly string[] | undefined {
  if (!isObject(input)) return undefined;
  const targets: string[] = [];
  const pending: (readonly [key: string, value: unknown])[] = [['', input]];
  for (let count = 0; pending.length > 0; count += 1) {
    const [key, value] = pending.pop() ?? ['', undefined];
    if (count > MAX_VALUES) return undefined;
    if (value === undefined || value === null || value === '') continue;
    if (!isFileKey(key)) return undefined;
    if (typeof value === 'string') {
      if (TEXT_KEYS.test(key)) continue;
      if (/^[a-z][a-z\d+.-]+:/i.test(value)) return undefined;
      if (PATH_KEYS.test(key) || /^[/\\~]|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(value)) targets.push(value);
    } else if (Array.isArray(value)) for (const each of value as readonly unknown[]) pending.push([key, each]);
    else if (isObject(value)) pending.push(...Object.entries(value));
  }
  return targets;
}

function isFileKey(key: string): boolean {
  if (key.length > 100) return false;
  const words = key
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.every((word) => word === '' || FILE_WORDS.has(word)) && /^[\w-]*$/.test(key);
}

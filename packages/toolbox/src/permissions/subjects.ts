import { attempt } from '@kernel/internal';
import { parsePatch } from '../files/patch/parse-patch.ts';

/** What rules are matched against, by the name of a tool of the toolbox. */
type Subjects = (input: Readonly<Record<string, unknown>>) => readonly string[];

const MAX_TEXTS = 1000;

const TOOLBOX: Readonly<Record<string, Subjects>> = {
  read_file: texts('path'),
  write_file: texts('path'),
  edit_file: texts('path'),
  delete: texts('path'),
  move: texts('from', 'to'),
  list_directory: folder,
  glob: folder,
  search_text: folder,
  apply_patch: ({ patch }) => (typeof patch === 'string' ? pathsOfPatch(patch) : []),
  fetch_url: texts('url'),
  web_search: texts('query'),
  memory: texts('path', 'old_path', 'new_path'),
  remember: texts(),
  recall: texts(),
  forget: texts('id'),
  skill: texts('name'),
};

export function subjectsOf(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, Subjects>> = {},
): readonly string[] {
  const find = lookUp(own, toolName) ?? lookUp(TOOLBOX, toolName) ?? everyText;
  return find(input);
}

function lookUp(table: Readonly<Record<string, Subjects>>, name: string): Subjects | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function texts(...names: readonly string[]): Subjects {
  return (input) => names.map((name) => input[name]).filter((value) => typeof value === 'string');
}

function folder({ path }: Readonly<Record<string, unknown>>): readonly string[] {
  return [typeof path === 'string' && path !== '' ? path : '.'];
}

/** The paths of a patch as the tool reads them. One that the tool refuses is covered by no rule. */
function pathsOfPatch(patch: string): readonly string[] {
  const files = attempt(() => parsePatch(patch));
  return (
    files?.flatMap((each) => ('to' in each && each.to !== undefined ? [each.path, each.to] : [each.path])) ?? ['\0']
  );
}

function everyText(input: unknown): readonly string[] {
  const found: string[] = [];
  const waiting: unknown[] = [input];
  while (waiting.length > 0 && found.length < MAX_TEXTS) {
    const value = waiting.pop();
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) waiting.push(inner);
  }
  // No rule covers a NUL, so that nothing is allowed by the part that was looked at.
  return waiting.length === 0 ? found : [...found, '\0'];
}

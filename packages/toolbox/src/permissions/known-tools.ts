import { attempt } from '@kernel/internal';
import { parsePatch } from '../files/patch/parse-patch.ts';
import { membersOf, type Subject } from './match-member.ts';

type Input = Readonly<Record<string, unknown>>;
type Subjects = Readonly<Record<string, (input: Input) => readonly string[]>>;

/** What rules and skills know of a tool of the toolbox. */
interface KnownTool {
  /** The texts to match: of these arguments, or found in them. Default: all texts of its arguments. */
  readonly subjects?: readonly string[] | ((input: Input) => readonly string[]);
  /** What rules are matched against if the argument is absent. */
  readonly otherwise?: string;
  /** What a skill may put in parentheses after its name; absent for a tool that `allowed-tools` of a skill cannot name. */
  readonly takes?: 'command' | 'path' | 'domain' | 'none';
  /** What it is called in Claude Code, in which most skills are written. */
  readonly aliases?: readonly string[];
}

/** The tools of the toolbox by their names. One that takes a path alone needs no entry, unless skills may name it. */
export const KNOWN_TOOLS: Readonly<Record<string, KnownTool>> = {
  run_command: { takes: 'command', aliases: ['Bash'] },
  read_file: { subjects: ['path'], takes: 'path', aliases: ['Read'] },
  write_file: { subjects: ['path'], takes: 'path', aliases: ['Write'] },
  edit_file: { subjects: ['path'], takes: 'path', aliases: ['Edit', 'MultiEdit'] },
  delete: { subjects: ['path'] },
  move: { subjects: ['from', 'to'] },
  list_directory: { subjects: ['path'], otherwise: '.', takes: 'path', aliases: ['LS'] },
  glob: { subjects: ['path'], otherwise: '.', takes: 'path', aliases: ['Glob'] },
  search_text: { subjects: ['path'], otherwise: '.', takes: 'path', aliases: ['Grep'] },
  apply_patch: { subjects: ({ patch }) => (typeof patch === 'string' ? pathsOfPatch(patch) : []) },
  fetch_url: { subjects: ['url'], takes: 'domain', aliases: ['WebFetch'] },
  web_search: { subjects: ['query'], takes: 'none', aliases: ['WebSearch'] },
  memory: { subjects: ['path', 'old_path', 'new_path'] },
  remember: { subjects: [] },
  recall: { subjects: [] },
  forget: { subjects: ['id'] },
  skill: { subjects: ['name'] },
};

/** Whether it is known which texts of a tool's calls count, from `own` or because the tool is one of the toolbox. */
export function isKnownTool(toolName: string, own: Subjects = {}): boolean {
  return Object.hasOwn(own, toolName) || Object.hasOwn(KNOWN_TOOLS, toolName);
}

/** The texts of a call to match: as `own` says, else as known of the tool, else every value by its name. */
export function subjectsOf(toolName: string, input: Input, own: Subjects = {}): readonly Subject[] {
  if (!isKnownTool(toolName, own)) return membersOf(input);
  const { subjects, otherwise } = KNOWN_TOOLS[toolName] ?? {};
  const find = Object.hasOwn(own, toolName) ? own[toolName] : subjects;
  if (find === undefined) return membersOf(input).map(({ text }) => ({ text }));
  const texts =
    typeof find === 'function'
      ? find(input)
      : find.map((name) => input[name]).filter((each) => typeof each === 'string');
  const isAbsent = otherwise !== undefined && typeof find !== 'function' && (texts[0] ?? '') === '';
  return (isAbsent ? [otherwise] : texts).map((text) => ({ text }));
}

/** The paths of a patch as the tool reads them. One that the tool refuses is covered by no rule. */
function pathsOfPatch(patch: string): readonly string[] {
  const files = attempt(() => parsePatch(patch));
  return (
    files?.flatMap((each) => ('to' in each && each.to !== undefined ? [each.path, each.to] : [each.path])) ?? ['\0']
  );
}

import { attempt } from '@kernel/internal';
import { parsePatch } from '../files/patch/parse-patch.ts';
import { KNOWN_TOOLS } from './known-tools.ts';
import { membersOf } from './match-member.ts';

type Subjects = Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => readonly string[]>>;

/** A text that rules are matched against. It has the name of its member where all members of a call count. */
export interface Subject {
  readonly text: string;
  readonly name?: string;
}

/** Whether it is known which texts of a tool's calls count, from `own` or because the tool is one of the toolbox. */
export function isKnownTool(toolName: string, own: Subjects = {}): boolean {
  return Object.hasOwn(own, toolName) || Object.hasOwn(KNOWN_TOOLS, toolName);
}

/** The texts of a call that rules are matched against: as `own` says, else as is known of the tool, else every value. */
export function subjectsOf(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  own: Subjects = {},
): readonly Subject[] {
  if (!isKnownTool(toolName, own)) return membersOf(input);
  const find = Object.hasOwn(own, toolName) ? own[toolName] : undefined;
  const texts = find?.(input) ?? textsOf(toolName, input);
  return texts.map((text) => ({ text }));
}

function textsOf(toolName: string, input: Readonly<Record<string, unknown>>): readonly string[] {
  const { subjects, otherwise } = KNOWN_TOOLS[toolName] ?? {};
  if (subjects === undefined) return membersOf(input).map(({ text }) => text);
  if (typeof subjects === 'string') return typeof input['patch'] === 'string' ? pathsOfPatch(input['patch']) : [];
  const texts = subjects.map((name) => input[name]).filter((value) => typeof value === 'string');
  return otherwise === undefined || (texts[0] ?? '') !== '' ? texts : [otherwise];
}

/** The paths of a patch as the tool reads them. One that the tool refuses is covered by no rule. */
function pathsOfPatch(patch: string): readonly string[] {
  const files = attempt(() => parsePatch(patch));
  return (
    files?.flatMap((each) => ('to' in each && each.to !== undefined ? [each.path, each.to] : [each.path])) ?? ['\0']
  );
}

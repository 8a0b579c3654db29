import { attempt } from '@kernel/internal';
import { parsePatch } from '../files/patch/parse-patch.ts';
import { KNOWN_TOOLS } from './known-tools.ts';

type Subjects = (input: Readonly<Record<string, unknown>>) => readonly string[];

const MAX_TEXTS = 1000;

/** The texts of a call that rules are matched against: as `own` says, else as is known of the tool, else all of them. */
export function subjectsOf(
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, Subjects>> = {},
): readonly string[] {
  const find = Object.hasOwn(own, toolName) ? own[toolName] : undefined;
  if (find !== undefined) return find(input);
  const { subjects, otherwise } = (Object.hasOwn(KNOWN_TOOLS, toolName) ? KNOWN_TOOLS[toolName] : undefined) ?? {};
  if (subjects === undefined) return everyText(input);
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

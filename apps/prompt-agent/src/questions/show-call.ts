import { duplicateKeys } from '@kernel/protocol';
import { indentJson } from './indent-json.ts';
import { markInvisible } from '../output/terminal/visible.ts';

/** The longest call that is shown on one line, in characters. */
const MAX_LINE = 100;

/**
 * Shows a call whole, for somebody who decides on it: on one line if it is short, otherwise as indented JSON. Control and invisible characters become
 * visible text such as `\u200b`; keys that are there twice are named.
 */
export function showCall(name: string, json: string): readonly string[] {
  const duplicates = duplicateKeys(json);
  const short = `${markInvisible(name)} ${markInvisible(json)}`;
  const lines =
    short.length <= MAX_LINE && !short.includes('\n')
      ? [short]
      : [markInvisible(name), ...markInvisible(duplicates.length === 0 ? indentJson(json) : json).split('\n')];
  return duplicates.length === 0
    ? lines
    : [
        ...lines,
        `Attention: these keys are there twice, and which one counts is not certain: ${markInvisible(duplicates.join(', '))}`,
      ];
}

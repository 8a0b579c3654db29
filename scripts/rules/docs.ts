import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

const EXPORTED =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:interface|type|function\*?|const|let|class) ([\w$]+)/;

/** A member of an interface. The type of a discriminant (`type: 'text'`) says all there is to say. */
const MEMBER = /^ {2}(?:readonly )?(?:get )?([\w$]+|'[^']+')\??[:(<](?! '[^']*';$)/;

/**
 * Docs: in a package, each exported declaration, and each member of an exported interface, has a doc comment right above it. A list of names
 * (`export { … }`) needs none, nor does the literal of a union's discriminant, nor a program, which exports nothing to anybody.
 */
export const docs: Rule = (root) =>
  sourceFiles(root).flatMap((file) => {
    if (file.startsWith('apps/')) return [];
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    let owner: string | undefined;
    return lines.flatMap((line, index): readonly Problem[] => {
      if (line.startsWith('}')) owner = undefined;
      const name = EXPORTED.exec(line)?.[1];
      if (line.startsWith('export interface ') && !line.endsWith('}')) owner = name;
      const member = owner === undefined || name !== undefined ? undefined : MEMBER.exec(line)?.[1];
      const [subject, what] = member === undefined ? [name, 'is exported'] : [`${owner}.${member}`, 'is a member'];
      if (subject === undefined || isDocumented(lines, index, member ?? subject)) return [];
      return [{ rule: 'docs', file, line: index + 1, message: `"${subject}" ${what} without a doc comment.` }];
    });
  });

function isDocumented(lines: readonly string[], index: number, name: string): boolean {
  let above = index - 1;
  while (/^\s*\/\/|^@/.test(lines[above] ?? '')) above -= 1;
  if (lines[above]?.trim().endsWith('*/') === true) return true;
  // The doc comment of an overloaded function precedes its first signature, which may take several lines.
  const signatureEnd = /^( {0,2})(?:\)|>\(.*\)): .*;$/.exec(lines[above] ?? '');
  if (signatureEnd !== null) {
    const start = signatureEnd[1] === '' ? /^export / : /^ {2}\S/;
    do above -= 1;
    while (above > 0 && !start.test(lines[above] ?? ''));
  }
  return (
    new RegExp(`^(?:export (?:async )?function |  (?:readonly )?)${name.replaceAll(/\W/g, '.')}\\b`).test(
      lines[above] ?? '',
    ) && isDocumented(lines, above, name)
  );
}

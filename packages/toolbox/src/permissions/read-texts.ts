import type { CompiledRule } from './compile-rules.ts';
import type { RuledCall } from './decide-call.ts';
import { linkTarget } from './links.ts';
import type { Subject } from './match-member.ts';
import { patternOfPath, patternOfValue, toRulePath } from './match-text.ts';

/** Reads a call by its texts. A path also means where its links lead, so a rule about a folder covers other names. */
export function readTexts(toolName: string, given: readonly Subject[], root: string | undefined): RuledCall {
  const subjects = given.flatMap((subject) => {
    const target = root === undefined ? undefined : linkTarget(root, toRulePath(subject.text, root));
    return target === undefined ? [subject] : [subject, { ...subject, text: target }];
  });
  const isOnly = new Set(subjects.map(({ name }) => name)).size === 1;
  const covers = ({ members, texts }: CompiledRule, subject: Subject): boolean =>
    (subject.name === undefined ? texts?.covers(subject.text) : members?.covers(subject, isOnly)) === true;
  return {
    concerns: ({ hasPattern, members, texts }) =>
      !hasPattern ||
      subjects.some((each) => (each.name === undefined ? texts?.concerns(each.text) : members?.concerns(each))),
    cover(allowing) {
      const covering = subjects.map((each) => allowing.find((rule) => covers(rule, each)));
      const [first] = covering;
      if (first !== undefined && !covering.includes(undefined)) return first;
      // Written in a rule, an empty text would be the folder.
      const isEmpty = subjects.length > 0 && subjects.every(({ text }) => text === '');
      const patterns = [...new Set(subjects.map((each) => patternOf(each, root)))];
      const suggestion = patterns.length === 0 ? toolName : `${toolName}(${patterns.join('|')})`;
      return {
        reason: `No rule is about this call of "${toolName}".`,
        suggestion: isEmpty ? undefined : suggestion,
      };
    },
  };
}

/** The pattern of a path, or of all that is on the host of an address. */
function patternOf({ name = '', text }: Subject, root: string | undefined): string {
  const named = name === '' ? '' : `${name}=`;
  if (!text.includes('://') || !URL.canParse(text))
    return name === '' ? patternOfPath(text, root) : named + patternOfValue(text);
  const { protocol, host } = new URL(text);
  return `${named}${protocol}//${host}/**`;
}

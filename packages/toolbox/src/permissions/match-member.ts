import { compileText, literalText } from './match-text.ts';
import { fold, splitUnescaped, type TextTest } from './match-wildcard.ts';

/** A text that rules are matched against. Where all values count, it has a name, such as `to` or `items.name`. */
export interface Subject {
  readonly text: string;
  readonly name?: string;
}

export interface MemberTest {
  /** Whether the pattern names the value, for `allow`. A pattern without a name is about the value of the only one. */
  covers(member: Subject, isOnly: boolean): boolean;
  /** Whether the pattern may be about the value, for `ask` and `deny`. */
  concerns(member: Subject): boolean;
}

const MAX_MEMBERS = 1000;
/** What no pattern covers, so that nothing is allowed by the part that was looked at. */
const UNREAD: Subject = { name: '\0', text: '\0' };
const NAME = /^[\w$-]+$/;
const NAMED = /^\s*([\w$-]+(?:\.[\w$-]+)*)=([^]*)$/;

/** Lists the values in the arguments of a call, those that are not texts as JSON. The values of a list have its name. */
export function membersOf(input: Readonly<Record<string, unknown>>): readonly Subject[] {
  const found: Subject[] = [];
  const waiting: (readonly [name: string, value: unknown])[] = [['', input]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [name, value] = next;
    if (found.length + waiting.length > MAX_MEMBERS) return [...found, UNREAD];
    const isList = Array.isArray(value);
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (entries.length === 0)
      found.push({ name, text: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') });
    for (const [key, inner] of entries) waiting.push([isList ? name : below(name, key), inner]);
  }
  return found;
}

/** Names a member. No pattern can write a name with other characters, so that no value below it is covered. */
function below(name: string, key: string): string {
  const written = NAME.test(key) ? key : '\0';
  return name === '' ? written : `${name}.${written}`;
}

/** Compiles a pattern of values: `NAME=VALUE`, with `|` between several, or a value alone. Throws as `compileText` does. */
export function compileMembers(pattern: string, root: string | undefined): MemberTest {
  const tests = splitUnescaped(pattern, /\|/).map((each) => {
    const [, name, value = each] = NAMED.exec(each) ?? [];
    const text: TextTest = /^\s*\*{1,2}\s*$/.test(value)
      ? { covers: () => true, concerns: () => true }
      : compileText(value, root);
    const literal = value.includes('://') ? undefined : literalText(value);
    // A value need not be a path: `./bob` is not `bob`.
    return { name, text: literal === undefined ? text : { ...text, covers: (given: string) => given === literal } };
  });
  return {
    covers: (member, isOnly) =>
      tests.some(({ name, text }) => (name === undefined ? isOnly : name === member.name) && text.covers(member.text)),
    concerns: (member) =>
      tests.some(
        ({ name, text }) =>
          (name === undefined || fold(name) === fold(member.name ?? '')) && text.concerns(member.text),
      ),
  };
}

/** Leaves out the alternatives that name a value by an address, which no text has. */
export function withoutNamedAddresses(pattern: string): string {
  const kept = splitUnescaped(pattern, /\|/).filter((each) => !(NAMED.test(each) && each.includes('://')));
  return kept.join('|');
}

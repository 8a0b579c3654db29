import type { ShellWord } from '../shell/types.ts';
import { type UnsafeOptions, UNSAFE_OPTIONS, RUNNERS, SAME } from './unsafe-options.ts';

/**
 * Whether an argument can make a program run another one, load code or write a file. A wildcard of a rule does not cover such an argument: the rule has to
 * name it. For programs that are not listed here nothing is known, and a rule that names the program covers its arguments.
 */
export function isUnsafe(name: string, words: readonly ShellWord[], index: number): boolean {
  if (RUNNERS.has(name)) return true;
  const unsafe = lookUp(UNSAFE_OPTIONS, usualName(name));
  const word = words[index];
  if (unsafe === undefined || word === undefined) return false;
  const { text } = word;
  if (text === undefined) return mayBeUnsafe(unsafe, word.prefix);
  if (listOf(unsafe.beginnings).some((beginning) => text.startsWith(beginning))) return true;
  if (unsafe.pattern?.test(text) === true) return true;
  return text.startsWith('-') && text.length > 1 ? isOption(unsafe, text) : listOf(unsafe.words).includes(text);
}

/** The name that a program is known by: `python3.12` is `python`. */
export function usualName(name: string): string {
  const plain = Object.hasOwn(UNSAFE_OPTIONS, name) ? name : withoutVersion(name);
  return lookUp(SAME, plain) ?? plain;
}

/** `python3.12` without its digits and points. */
function withoutVersion(name: string): string {
  let end = name.length;
  while (end > 0 && '0123456789.'.includes(name[end - 1] ?? ' ')) end -= 1;
  if (end < name.length && name[end - 1] === '-') end -= 1;
  return name.slice(0, end);
}

/** Whether a word of which only the beginning is known may become an unsafe one. */
function mayBeUnsafe({ beginnings, pattern, words }: UnsafeOptions, prefix: string): boolean {
  if (prefix === '' || prefix.startsWith('-') || pattern !== undefined) return true;
  return (
    listOf(words).some((each) => each.startsWith(prefix)) ||
    listOf(beginnings).some((each) => each.startsWith(prefix) || prefix.startsWith(each))
  );
}

function isOption({ isExact, long, short = '' }: UnsafeOptions, text: string): boolean {
  // Node takes `_` for `-`, and Go two dashes for one.
  const option = (text.split('=', 1)[0] ?? '').replaceAll('_', '-');
  // As with GNU's and Git's, where a part of an option stands for it.
  const isPart = isExact !== true && option.startsWith('--') && option.length > 2;
  const isLong = listOf(long).some(
    (known) => known === option || known === option.slice(1) || (isPart && known.startsWith(option)),
  );
  return isLong || (!text.startsWith('--') && Array.from(short).some((letter) => text.includes(letter, 1)));
}

function listOf(words: string | undefined): readonly string[] {
  return words === undefined ? [] : words.split(' ');
}

function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

import { createRedactor, isObject, withoutQuery } from '@kernel/internal';
import { shellQuote } from '../questions/shell-quote.ts';
import type { ServerEntry } from './server-files.ts';

const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie|bearer|pat$/i;
/** The shortest text that is taken for a secret because of its name. */
const MIN_SECRET = 6;
const HIDDEN = '(set)';

/** How a server is reached. */
export type Transport = 'program' | 'address';

export function transportOf(entry: ServerEntry): Transport {
  return typeof entry['url'] === 'string' ? 'address' : 'program';
}

/** Says in lines what would be started or called. What may be a secret is only said to be set. */
export function describeEntry(entry: ServerEntry): readonly string[] {
  const { command, args, cwd, url, disabled } = entry;
  const words = [command, ...(Array.isArray(args) ? hideArguments(args.map(String)) : [])].map(String);
  const what =
    typeof url === 'string'
      ? [`calls: ${shownAddress(url)}`, ...fieldLines('header', entry['headers'])]
      : [
          `starts: ${shellQuote(words)}`,
          ...(typeof cwd === 'string' ? [`folder: ${cwd}`] : []),
          ...fieldLines('variable', entry['env']),
        ];
  return [...what, ...(disabled === true ? ['disabled: it is not used'] : [])];
}

/** An address without what may be a secret. */
export function shownAddress(url: string): string {
  return hideText(hideDefaults(withoutQuery(url)));
}

/** The variables of the environment that an entry uses. */
export function variablesOf(entry: ServerEntry): readonly string[] {
  const found = JSON.stringify(entry).matchAll(/\$\{(?:env:)?(\w{1,200})(?::-[^}]{0,4096})?\}/g);
  return [...new Set([...found].map(([, name = '']) => name))];
}

/** Where an entry has what looks like a secret, written out instead of as a variable. */
export function literalSecrets(entry: ServerEntry): readonly string[] {
  const fields = ['env', 'headers'].flatMap((key) =>
    Object.entries(textsOf(entry[key])).flatMap(([name, value]) => (isSecret(name, value) ? [`${key}.${name}`] : [])),
  );
  const args = Array.isArray(entry['args']) ? entry['args'].map(String) : [];
  const hidden = hideArguments(args);
  const inArgs = args.flatMap((arg, index) => (hidden[index] === arg ? [] : [`args[${index}]`]));
  const url = typeof entry['url'] === 'string' ? entry['url'] : '';
  const values = [...(URL.parse(url)?.searchParams ?? [])];
  return [
    ...fields,
    ...inArgs,
    ...(values.some(([name, value]) => isSecret(name, value)) || hideDefaults(url) !== url ? ['url'] : []),
  ];
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** A value that is a variable is shown; any other one may be a secret. */
function fieldLines(what: string, value: unknown): readonly string[] {
  return Object.entries(textsOf(value)).map(
    ([name, text]) => `${what}: ${name} ${isVariable(text) ? `from ${text}` : HIDDEN}`,
  );
}

/** Whether nothing of a text is written out but a word before it, as in `Bearer ${TOKEN}`. */
function isVariable(text: string): boolean {
  return /^(?:\w{1,20} )?\$\{[\w:]{1,200}\}$/.test(text);
}

function isSecret(name: string, value: string): boolean {
  if (value.includes('${')) return hideDefaults(value, SECRET_NAME.test(name)) !== value;
  if (value.length < MIN_SECRET) return false;
  return SECRET_NAME.test(name) || hideText(value) !== value;
}

/** Hides what a variable is by default, `${NAME:-default}`, where that may be a secret: by its place, the name of the variable, or its form. */
function hideDefaults(text: string, isSecretPlace = false): string {
  return text.replaceAll(/\$\{((?:env:)?\w{1,200}):-([^}]{0,4096})\}/g, (whole, name: string, value: string) => {
    const isHidden =
      value.length >= MIN_SECRET && (isSecretPlace || SECRET_NAME.test(name) || hideText(value) !== value);
    return isHidden ? `\${${name}:-${HIDDEN}}` : whole;
  });
}

/** Arguments whose value may be a secret, by the name of their flag or header or by their form, without that value. */
function hideArguments(args: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? '';
    const isValue = /^-{1,2}[\w-]{1,100}$/.test(before) && SECRET_NAME.test(before) && !arg.startsWith('-');
    const [, flag, value] = /^(-{1,2}[\w-]{1,100})=(.*)$/s.exec(arg) ?? [];
    if (arg.includes('${')) return hideDefaults(arg, isValue || (flag !== undefined && SECRET_NAME.test(flag)));
    if (flag !== undefined) return isSecret(flag, value ?? '') ? `${flag}=${HIDDEN}` : hideText(arg);
    const [, header, content] = /^([\w-]{1,100}):\s?(.*)$/s.exec(arg) ?? [];
    if (header !== undefined && isSecret(header, content ?? '')) return `${header}: ${HIDDEN}`;
    return isValue && arg.length >= MIN_SECRET ? HIDDEN : hideText(arg);
  });
}

const redactor = createRedactor();

function hideText(text: string): string {
  return redactor.text(text);
}

import { createRedactor, isObject, visible, withoutQuery } from '@kernel/internal';
import { shellQuote } from '../questions/shell-quote.ts';
import type { ServerEntry } from './server-files.ts';

const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie|bearer|pat$/i;
/** The shortest text that is taken for a secret because of its name. */
const MIN_SECRET = 6;
export const HIDDEN = '(set)';
/** Names that end in a word for a secret. A longer one, such as `CREDENTIAL_PROVIDER`, may name a program. */
const NAMED_SECRET = /(?:key|token|secret|password|passwd|passphrase|credentials?|cookie|auth|authorization|pat)$/i;
/** The form of a secret: a word, which is no path, or two in a header. A script has other characters. */
const SECRET_FORM = /^(?:[A-Za-z]{1,20} )?[\w.~+=:@%-]{6,4096}$/;

/** What a shell or an interpreter runs nothing of but the program that it names. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Whether a value is a secret by the name of its variable or header, and has the form of one. Nothing else is hidden in a question. */
export function isNamedSecret(name: string, value: string): boolean {
  return NAMED_SECRET.test(name) && SECRET_FORM.test(value);
}

/** How a server is reached. */
export type Transport = 'program' | 'address';

export function transportOf(entry: ServerEntry): Transport {
  return typeof entry['url'] === 'string' ? 'address' : 'program';
}

/**
 * Says in lines what would be started or called. In a question that is the whole of it, but for secrets by the names of their variables; those of a command are hidden only
 * where it has no script, which could run them under any name. Elsewhere what may be a secret is only said to be set.
 */
export function describeEntry(entry: ServerEntry, isQuestion = false): readonly string[] {
  const { command, args, cwd, url, disabled } = entry;
  const given = Array.isArray(args) ? args.map(String) : [];
  const words = [String(command), ...(isQuestion ? given : hideArguments(given))];
  const isScript = words.some((word) => !PLAIN_WORD.test(word));
  const show = (name: string, text: string): string => {
    const isRunnable = typeof command === 'string' && (isScript || text.includes(' '));
    const isHidden = isNamedSecret(name, text) && !isRunnable;
    return isHidden ? HIDDEN : `= ${shellQuote([text])}`;
  };
  const fieldsOf = (what: string, value: unknown): readonly string[] =>
    Object.entries(textsOf(value)).map(([name, text]) => {
      const shown = isVariable(text) ? `from ${text}` : isQuestion ? show(name, text) : HIDDEN;
      return `${what}: ${isQuestion ? shellQuote([name]) : name} ${shown}`;
    });
  const what =
    typeof url === 'string'
      ? [`calls: ${isQuestion ? withoutNamedSecrets(url) : shownAddress(url)}`, ...fieldsOf('header', entry['headers'])]
      : [
          `starts: ${shellQuote(words)}`,
          ...(typeof cwd === 'string' ? [`folder: ${isQuestion ? shellQuote([cwd]) : cwd}`] : []),
          ...fieldsOf('variable', entry['env']),
        ];
  return [...what, ...(disabled === true ? ['disabled: it is not used'] : [])];
}

/** An address with the values of its query that are secrets by name hidden. */
function withoutNamedSecrets(url: string): string {
  return visible(url).replaceAll(
    /([?&])([^?&=#]{1,200})=([^&#]*)/g,
    (whole, mark: string, name: string, value: string) =>
      isNamedSecret(name, value) ? `${mark}${name}=${HIDDEN}` : whole,
  );
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

/** Arguments whose value may be a secret, by the name of their flag or header or by their form, without that value. What has not the form of a secret may be a script. */
function hideArguments(args: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const before = args[index - 1] ?? '';
    const isValue = /^-{1,2}[\w-]{1,100}$/.test(before) && SECRET_NAME.test(before) && !arg.startsWith('-');
    const [, flag, value] = /^(-{1,2}[\w-]{1,100})=(.*)$/s.exec(arg) ?? [];
    if (arg.includes('${')) return hideDefaults(arg, isValue || (flag !== undefined && SECRET_NAME.test(flag)));
    if (flag !== undefined) return isSecret(flag, value ?? '') ? `${flag}=${HIDDEN}` : hideText(arg);
    const [, header, content] = /^([\w-]{1,100}):\s?(.*)$/s.exec(arg) ?? [];
    if (header !== undefined && SECRET_FORM.test(content ?? '') && isSecret(header, content ?? ''))
      return `${header}: ${HIDDEN}`;
    return isValue && arg.length >= MIN_SECRET ? HIDDEN : hideText(arg);
  });
}

const redactor = createRedactor();

function hideText(text: string): string {
  return redactor.text(text);
}

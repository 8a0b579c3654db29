import { spawn } from 'node:child_process';
import { childStreams, childVariables, programPath } from '@kernel/internal';
import { encodeText, missingCharacter, type TextFormat } from '../../text/encoding.ts';
import { formsOf, isAnyCase, type Query } from './matcher.ts';

const MAX_BYTES = 67_108_864;

interface RipgrepSearch extends Query {
  readonly program: string;
  readonly folder: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

/**
 * The paths of files that may contain a text, or may be binary if the text is empty, in no particular order; undefined if ripgrep cannot tell. It is asked for names
 * alone, with rules that leave out less than ours: the caller decides on each, and reads it as any other file.
 */
export async function ripgrepFiles(search: RipgrepSearch): Promise<readonly string[] | undefined> {
  const { folder, path, program, signal } = search;
  const flags = ['--no-config', '--files-with-matches', '--null', '--text', '--hidden'];
  const rules = [
    '--no-ignore-global',
    '--no-ignore-exclude',
    '--no-ignore-parent',
    '--no-ignore-dot',
    '--no-require-git',
  ];
  const skip = ['--glob=!node_modules', '--glob=!.git', '--no-messages', '--encoding=none'];
  const what = ['--case-sensitive', `--regexp=${patternOf(search)}`, '--', `./${path}`];
  const child = spawn(programPath(program), [...flags, ...rules, ...skip, ...what], {
    cwd: folder,
    env: childVariables({}),
    stdio: childStreams('ignore', 'pipe', 'ignore'),
    signal,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) child.kill('SIGKILL');
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  signal.throwIfAborted();
  // 1: nothing found. 2: some files could not be read, which is so for the walker too, or it does not know an option.
  if (code !== 0 && code !== 1) return undefined;
  return Buffer.concat(chunks)
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.replace(/^(?:\.\/)+/, ''));
}

const OTHER_FORMATS: readonly TextFormat[] = (['utf-16le', 'utf-16be', 'windows-1252'] as const).map((encoding) => ({
  encoding,
  bomLength: 0,
}));
/** Letters that Unicode takes for an ASCII letter in another case. */
const SAME_LETTERS: Readonly<Record<string, string>> = { s: '\u017F', k: '\u212A' };

function patternOf(search: Query): string {
  if (search.query === '') return String.raw`(?-u:\x00|%PDF-)`;
  const anyCase = isAnyCase(search);
  return formsOf(search.query)
    .map((form) => patternOfForm(form, anyCase))
    .join('|');
}

function patternOfForm(query: string, anyCase: boolean): string {
  const utf8 = query.replaceAll(/[^\p{L}\p{N}\s_]/gu, (each) => String.raw`\x{${hex(each.codePointAt(0))}}`);
  const characters = Array.from(query).map((each) => (anyCase ? inAnyCase(each) : [each]));
  const isAscii = !/[^\0-\u007F]/.test(query);
  const others = OTHER_FORMATS.filter(({ encoding }) => encoding !== 'windows-1252' || !isAscii).map((format) =>
    characters.map((variants) =>
      variants.filter((each) => missingCharacter(each, format) === undefined).map((each) => bytesOf(each, format)),
    ),
  );
  return [
    anyCase ? `(?i:${utf8})` : utf8,
    ...others
      .filter((all) => all.every((variants) => variants.length > 0))
      .map((all) => `(?-u:${all.map((variants) => `(?:${variants.join('|')})`).join('')})`),
  ].join('|');
}

function inAnyCase(character: string): readonly string[] {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  const same = SAME_LETTERS[lower];
  return [...new Set([character, lower, upper, ...(same === undefined ? [] : [same])])];
}

function bytesOf(text: string, format: TextFormat): string {
  return [...Buffer.from(encodeText(text, format))].map((byte) => String.raw`\x${hex(byte)}`).join('');
}

function hex(code = 0): string {
  return code.toString(16).padStart(2, '0');
}

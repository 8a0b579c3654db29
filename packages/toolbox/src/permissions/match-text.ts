import { posix } from 'node:path';
import { compileEitherGlob, compileGlob, literalBrackets, type PathTest } from '../workspace/glob.ts';

/** Tests a text of a call's arguments against the pattern of a rule. */
export interface TextTest {
  /** Whether the pattern matches exactly; for `allow`. */
  covers(text: string): boolean;
  /** Whether it matches when case, the form of Unicode, encodings and a part of the text are set aside; for `ask` and `deny`. `folder`: what paths may start from. */
  concerns(text: string, folder?: string): boolean;
}

/**
 * Compiles the pattern of a rule for paths and addresses. With `://` it is one for addresses: scheme, host, port and path are each matched by their
 * part. Otherwise it is a glob over paths relative to `root`. `|` separates alternatives. Brackets and braces are ordinary characters of names, as in
 * `app/[locale]`; what asks or denies also takes them for what they stand for. Throws a `RangeError` for a glob that is too large, and for an address that is
 * none, unless the pattern is one of commands, of which an address can be one word.
 */
export function compileText(pattern: string, root: string | undefined, isOfCommands = false): TextTest {
  const alternatives = pattern.split(/(?<!\\)\|/).map((each) => each.trim());
  const isAddress = (each: string): boolean => (isOfCommands ? ADDRESS.test(each) : each.includes('://'));
  const tests = alternatives.map((each) => (isAddress(each) ? addressTest(each) : pathTest(each, root)));
  // A name may have a `|` in it.
  const whole = alternatives.length === 1 ? [] : [pathTest(pattern.replaceAll(/\\[^]|\|/g, escapeBar), root)];
  return {
    covers: (text) => tests.some((test) => test.covers(text)),
    concerns: (text, folder) => [...tests, ...whole].some((test) => test.concerns(text, folder)),
  };
}

/** Returns a path as rules know it: relative to the root if it is below it, with `/`, without `.` and `..`. */
export function toRulePath(text: string, root: string | undefined): string {
  const slashed = text.replaceAll('\\', '/');
  const isAbsolute = slashed.startsWith('/') || /^[A-Za-z]:\//.test(slashed);
  const path = posix.normalize(slashed).replace(/(?<=.)\/$/, '');
  if (!isAbsolute || root === undefined) return path;
  const relative = posix.relative(root.replaceAll('\\', '/'), path);
  return relative === '' ? '.' : relative.startsWith('..') ? path : relative;
}

function escapeBar(found: string): string {
  return found === '|' ? String.raw`\|` : found;
}

function pathTest(glob: string, root: string | undefined): TextTest {
  const normal = glob.startsWith('./') ? glob.slice(2) : glob;
  const exact = compileGlob(literalBrackets(normal));
  const folded = compileEitherGlob(fold(normal));
  const isConcerned = (part: string): boolean => folded(fold(toRulePath(part, root)));
  return {
    covers: (text) => {
      const path = toRulePath(text, root);
      // `**` stands for folders below the root, and a backslash is a character of a name outside of Windows.
      const isOutside = path.startsWith('../') && !normal.startsWith('../');
      return (
        exact(path) && !isOutside && !/[\0\\]/.test(process.platform === 'win32' ? text.replaceAll('\\', '') : text)
      );
    },
    concerns: (text, folder = '.') => {
      return parts(text).some((part) => isConcerned(part) || (folder !== '.' && isConcerned(posix.join(folder, part))));
    },
  };
}

/** A text and what may be a path in it: the value of an option (`--file=.env`, `-f.env`), or of a program's own notation (`HEAD:.env`, `@.env`, `x=<.env`). */
function parts(text: string): readonly string[] {
  const pieces = text.split(/[=:@,;<]/).filter((piece) => piece !== '');
  const values = /^-[^-]/.test(text) ? [2, 3, 4].map((start) => text.slice(start)).filter((value) => value !== '') : [];
  const decoded = text.includes('%') ? [decode(text), ...decode(text).split(/[=:@,;<]/)] : [];
  return [...new Set([text, ...pieces, ...values, ...decoded])];
}

/** A text as a file system may take it that does not tell case, forms of Unicode or unseen characters apart. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

const ADDRESS = /^([a-z*][a-z0-9+.*-]*):\/\/([^/]+)(\/.*)?$/i;

function addressTest(pattern: string): TextTest {
  const [, scheme, authority = '', path] = ADDRESS.exec(pattern) ?? [];
  if (scheme === undefined)
    throw new RangeError('Write an address as scheme://host/path, such as https://*.example.com/**.');
  const [host = '', port] = authority.toLowerCase().split(/:(?=[\d*]+$)/);
  // `**` and a missing path stand for every path.
  const onPath: PathTest = path === undefined || path === '/**' ? () => true : compileGlob(literalBrackets(path));
  const onFoldedPath: PathTest = path === undefined || path === '/**' ? onPath : compileEitherGlob(fold(path));
  const onHost = compileGlob(hostGlob(host.replace(/^\*\*\./, '*.')));
  const isScheme = ({ protocol }: URL): boolean =>
    scheme === '*' ? /^https?:$/.test(protocol) : protocol === `${scheme.toLowerCase()}:`;
  return {
    covers: (text) => {
      const url = toUrl(text);
      return (
        url !== undefined &&
        // Credentials in an address hide which host it is.
        url.username === '' &&
        url.password === '' &&
        isScheme(url) &&
        onHost(url.hostname) &&
        (port === undefined ? url.port === '' : port === '*' || port === url.port) &&
        onPath(url.pathname) &&
        // A server may take `..%2f` and `..%5c` for `../`.
        onPath(posix.normalize(decode(url.pathname).replaceAll('\\', '/')))
      );
    },
    concerns: (text) => {
      const url = toUrl(text);
      return (
        url !== undefined &&
        isScheme(url) &&
        onHost(url.hostname.replace(/\.$/, '')) &&
        (port === undefined || port === '*' || port === url.port) &&
        [url.pathname, decode(url.pathname)].some((each) => onFoldedPath(fold(posix.normalize(each))))
      );
    },
  };
}

/** The glob of a host as `URL` writes it: names in Punycode, and the brackets of an IPv6 address as they are. */
function hostGlob(host: string): string {
  const ascii = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
  return ascii.replace(/[[\]]/g, String.raw`\$&`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function toUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

import { posix } from 'node:path';
import { compileEitherGlob, compileGlob, literalBrackets, type PathTest } from '../workspace/glob.ts';
import { decode, fold, matchWildcard, type TextTest, toSlashes } from './match-wildcard.ts';

export const ADDRESS = /^([a-z*][a-z0-9+.*-]*):\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?(?:#[^]*)?$/i;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Tests addresses against the pattern of one. Throws a `RangeError` for one that is none. */
export function addressTest(pattern: string): TextTest {
  const [, scheme, authority = '', named, query] = ADDRESS.exec(pattern.replaceAll(/\\([?#])/g, '$1')) ?? [];
  if (scheme === undefined)
    throw new RangeError('Write an address as scheme://host/path, such as https://*.example.com/**.');
  const [host = '', port] = authority.toLowerCase().split(/:(?=[\d*]+$)/);
  const path = named ?? (query === undefined ? '/**' : '/');
  // `**` and a missing path stand for every path.
  const onPath: PathTest = path === '/**' ? () => true : compileGlob(literalBrackets(path));
  const onFoldedPath: PathTest = path === '/**' ? onPath : compileEitherGlob(fold(posix.normalize(path)));
  const onHost = compileGlob(hostGlob(host.replace(/^\*\*\./, '*.')));
  const isScheme = (protocol: string): boolean =>
    scheme === '*' ? /^https?:$/.test(protocol) : protocol === `${scheme.toLowerCase()}:`;
  const onPort = (url: URL): boolean => port === '*' || port === (url.port || DEFAULT_PORTS[url.protocol]);
  const parse = (text: string): URL | undefined => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && isScheme(url.protocol) ? url : undefined;
  };
  return {
    covers: (text) => {
      const url = parse(text);
      return (
        url !== undefined &&
        // Credentials in an address hide which host it is.
        url.username + url.password === '' &&
        onHost(url.hostname) &&
        (port === undefined ? url.port === '' : onPort(url)) &&
        onPath(url.pathname) &&
        // A server may take `..%2f` and `..%5c` for `../`.
        onPath(posix.normalize(toSlashes(decode(url.pathname)))) &&
        (query === undefined || matchWildcard(query, url.search))
      );
    },
    concerns: (text) => {
      const url = parse(text);
      return (
        url !== undefined &&
        onHost(url.hostname.replace(/\.$/, '')) &&
        (port === undefined || onPort(url)) &&
        [url.pathname, decode(url.pathname)].some((each) => onFoldedPath(fold(posix.normalize(each)))) &&
        (query === undefined || [url.search, decode(url.search)].some((each) => matchWildcard(fold(query), fold(each))))
      );
    },
  };
}

/** The glob of a host as `URL` writes it: names in Punycode, and the brackets of an IPv6 address as they are. */
function hostGlob(host: string): string {
  const ascii = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
  return ascii.replace(/[[\]]/g, String.raw`\$&`);
}

import { isObject } from '@kernel/internal';

/** Where an app may load from and connect to: origins, each list without repetition. */
export interface AppHosts {
  readonly connect: readonly string[];
  readonly resources: readonly string[];
  readonly frames: readonly string[];
  readonly base: readonly string[];
}

const MAX_HOSTS = 50;
const MAX_LENGTH = 260;
/** An origin on the internet: with a domain, by TLS. A wildcard stands for subdomains of at least two labels. No address of this machine or network. */
const ORIGIN = /^(https|wss):\/\/((?:\*\.)?(?:[a-z\d-]{1,63}\.)+[a-z][a-z\d-]{1,62}(?::\d{1,5})?)\/?$/i;
const LOCAL = /\.(?:localhost|local|internal|home|lan|arpa|test|invalid)(?::\d+)?$/i;

/** Reads the declared origins. Whatever is not one, such as text with a blank, a semicolon or a newline, is left out. */
export function readAppHosts(csp: unknown): AppHosts {
  const declared = isObject(csp) ? csp : {};
  return {
    connect: originsOf(declared['connectDomains'], ['https', 'wss']),
    resources: originsOf(declared['resourceDomains'], ['https']),
    frames: originsOf(declared['frameDomains'], ['https']),
    base: originsOf(declared['baseUriDomains'], ['https']),
  };
}

function originsOf(list: unknown, schemes: readonly string[]): readonly string[] {
  const given: readonly unknown[] = Array.isArray(list) ? list.slice(0, MAX_HOSTS) : [];
  const origins = given.flatMap((each) => {
    if (typeof each !== 'string' || each.length > MAX_LENGTH || LOCAL.test(each.replace(/\/$/, ''))) return [];
    const [, scheme = '', host = ''] = ORIGIN.exec(each) ?? [];
    return schemes.includes(scheme.toLowerCase()) ? [`${scheme}://${host}`.toLowerCase()] : [];
  });
  return [...new Set(origins)];
}

/** The header `Content-Security-Policy` of an app: what it did not declare is closed, and it stays in a sandbox wherever it is shown. */
export function toAppPolicy({ base, connect, frames, resources }: AppHosts): string {
  return [
    "default-src 'none'",
    `script-src ${sources("'unsafe-inline'", ...resources)}`,
    `style-src ${sources("'unsafe-inline'", ...resources)}`,
    `img-src ${sources('data:', 'blob:', ...resources)}`,
    `font-src ${sources('data:', ...resources)}`,
    `media-src ${sources('data:', 'blob:', ...resources)}`,
    `connect-src ${sources(...connect)}`,
    `frame-src ${sources(...frames)}`,
    `base-uri ${sources(...base)}`,
    "object-src 'none'",
    "form-action 'none'",
    'sandbox allow-scripts allow-forms',
  ].join('; ');
}

function sources(...parts: readonly string[]): string {
  return parts.length === 0 ? "'none'" : parts.join(' ');
}

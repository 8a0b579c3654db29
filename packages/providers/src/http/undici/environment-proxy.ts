import { BlockList, isIP } from 'node:net';
import { isLoopback } from '@kernel/internal';

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the variables as curl and Go do. */
export function environmentProxy(origin: string, env: Environment): string | undefined {
  const { hostname, port, protocol } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopback(host)) return undefined;
  const proxy = protocol === 'https:' ? (env['https_proxy'] ?? env['HTTPS_PROXY']) : httpProxy(env);
  if (proxy === undefined || proxy.trim() === '') return undefined;
  const effectivePort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  if (isExcluded(host, effectivePort, env['no_proxy'] ?? env['NO_PROXY'] ?? '')) return undefined;
  return proxy.includes('://') ? proxy.trim() : `http://${proxy.trim()}`;
}

/** Ignores `HTTP_PROXY` in a CGI program, where it is a header of the client (CVE-2016-5385). */
function httpProxy(env: Environment): string | undefined {
  return env['http_proxy'] ?? (env['REQUEST_METHOD'] === undefined ? env['HTTP_PROXY'] : undefined);
}

/** `no_proxy` lists domains, which include their subdomains, addresses and address ranges, each with an optional port; `*` is all. */
function isExcluded(host: string, port: string, noProxy: string): boolean {
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && excludes(entry, host, port));
}

function excludes(entry: string, host: string, port: string): boolean {
  if (entry === '*' || entry === host) return true;
  if (entry.includes('/')) return isInRange(entry, host);
  const colon = isIP(entry) === 6 ? -1 : entry.lastIndexOf(':');
  const ownPort = entry.slice(colon + 1);
  const hasPort = colon !== -1 && /^\d+$/.test(ownPort);
  if (hasPort && ownPort !== port) return false;
  const domain = (hasPort ? entry.slice(0, colon) : entry).replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isInRange(entry: string, host: string): boolean {
  const [network = '', prefix = ''] = entry.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  const bits = Number(prefix);
  const max = family === 'ipv6' ? 128 : 32;
  if (isIP(network) === 0 || isIP(host) !== isIP(network) || !(bits >= 0 && bits <= max) || prefix === '') return false;
  const range = new BlockList();
  range.addSubnet(network, bits, family);
  return range.check(host, family);
}

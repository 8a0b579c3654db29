import { MIN_SECRET_SEGMENT_LENGTH } from './secret-search.ts';

const SECRET_NAME = /key|token|secret|passw|pwd|auth(?!or)|credential|signature|jwt|^(?:sig|code|pass|pin)$/i;

/** What is secret in the query of an address: values whose names say so, of which shorter ones are words, and long ones, whatever they are called. */
export function querySecrets({ searchParams }: URL, minNamedLength = 8): readonly string[] {
  return [...searchParams].flatMap(([name, value]) => {
    const secret = value === '' ? name : value;
    const isNamed = value.length >= minNamedLength && SECRET_NAME.test(name);
    return isNamed || secret.length >= MIN_SECRET_SEGMENT_LENGTH ? [secret] : [];
  });
}

/** An address with the values of its query left out, to be shown or kept; text that is not an address is returned as it is. */
export function withoutQuery(address: string): string {
  const [start = '', query] = address.split('?', 2);
  if (query === undefined || !/^https?:\/\//i.test(address)) return address;
  const [values = ''] = query.split('#', 1);
  const names = values.split('&').map((each) => (each.includes('=') ? `${each.split('=', 1)[0]}=…` : '…'));
  return `${start}?${names.join('&')}`;
}

/** Whether a host, as in an address or with IPv6 in brackets, is this machine itself. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

import { sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { configError } from './config-error.ts';

export function parseBaseUrl(provider: string, value: string) {
  const hint = 'Write it like https://host/v1, and put the credential into token.';
  if (!URL.canParse(value)) throw configError(provider, `baseUrl is not a URL: "${withoutCredential(value)}".`, hint);
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw hasScheme(value, url)
      ? configError(provider, `baseUrl has the scheme "${url.protocol}", not http or https.`, hint)
      : configError(provider, `baseUrl does not begin with http:// or https://: "${withoutCredential(value)}".`, hint);
  }
  if (url.username !== '' || url.password !== '') {
    throw configError(provider, 'baseUrl contains a user name or password.', hint);
  }
  return { origin: url.origin, path: url.pathname.replace(/(?<!\/)\/+$/, ''), query: url.search };
}

export type BaseUrl = ReturnType<typeof parseBaseUrl>;

/** `user:password@host` and `localhost:8080` are URLs too, with the schemes `user:` and `localhost:`. */
export function hasScheme(value: string, { protocol }: URL): boolean {
  return value.trimStart().toLowerCase().startsWith(`${protocol}//`);
}

/** What is not a URL may still hold a credential, whose own text may have any character: it ends at the last `@`. */
function withoutCredential(value: string): string {
  const at = value.lastIndexOf('@');
  return at === -1 ? value : `${/^[a-z][a-z0-9+.-]*:\/\//i.exec(value)?.[0] ?? ''}${value.slice(at + 1)}`;
}

/** URL parsers remove `.` and `..` even if they are percent-encoded, so the request would reach another path. */
export function toPathSegment(name: string): string {
  const encoded = encodeURIComponent(name.isWellFormed() ? name : '');
  if (!['', '.', '..'].includes(encoded)) return encoded;
  const text = `${JSON.stringify(sliceHead(name, 80))} cannot be a part of a name: it would lead to another address.`;
  throw new KernelError('CONFIG_INVALID', text, { hint: 'Use the name that the vendor lists.' });
}

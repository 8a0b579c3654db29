import {
  createRedactor,
  MIN_GUESSED_SECRET_LENGTH,
  MIN_SECRET_LENGTH,
  MIN_SECRET_SEGMENT_LENGTH,
  querySecrets,
  type Redactor,
  terminalText,
} from '@kernel/internal';
import type { McpServer } from './config.ts';

/** Creates a function that removes a server's secrets from text and makes control characters visible. */
export function createServerRedactor(server: McpServer): (text: string) => string {
  const redactor = createRedactor(secretsOf(server));
  return (text) => terminalText(redactor.text(text));
}

/** Creates a redactor for what a server sends, which takes the secrets of its own address out; undefined if that has none. */
export function createAddressRedactor({ url }: { readonly url: URL }): Redactor | undefined {
  const secrets = querySecrets(url);
  return secrets.length === 0 ? undefined : createRedactor(secrets);
}

const MAX_CAUSES = 4;

/** A copy of an error, and of what caused it, as a log may show it. Any other value is left out. */
export function redactedError(error: unknown, redact: (text: string) => string, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth === MAX_CAUSES) return undefined;
  const { message, name, stack } = error;
  const cause = redactedError(error.cause, redact, depth + 1);
  const copy = new Error(redact(message), ...(cause === undefined ? [] : [{ cause }]));
  const code = 'code' in error && ['string', 'number'].includes(typeof error.code) ? { code: error.code } : {};
  return Object.assign(copy, { name, ...code, ...(stack === undefined ? {} : { stack: redact(stack) }) });
}

/** The values of a config that may be secrets, as nobody says which of them are. */
function secretsOf(server: McpServer): readonly string[] {
  const named = server.kind === 'http' ? querySecrets(server.url, MIN_SECRET_LENGTH) : [];
  return [...valuesOf(server).filter((value) => value.length >= MIN_GUESSED_SECRET_LENGTH), ...named];
}

function valuesOf(server: McpServer): readonly string[] {
  if (server.kind === 'stdio') return Object.values(server.env);
  const { searchParams, pathname } = server.url;
  const headers = Object.values(server.headers).flatMap((value) => [value, ...value.split(' ').slice(1)]);
  // Some addresses carry their key as a segment of the path.
  const segments = pathname.split('/').filter((segment) => segment.length >= MIN_SECRET_SEGMENT_LENGTH);
  return [...headers, ...searchParams.values(), ...segments];
}

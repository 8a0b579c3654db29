import { createRedactor } from '@kernel/internal';
import type { McpServer } from './config.ts';

/** Shorter values are settings, not secrets: an environment holds values like `true` or `8080`, which would black out half of a text. */
const MIN_SECRET_LENGTH = 6;

/** Creates a function that removes a server's secrets from text and makes control characters visible. */
export function createServerRedactor(server: McpServer): (text: string) => string {
  const redactor = createRedactor(secretsOf(server));
  return (text) => escapeControls(redactor.text(text));
}

/** The values of a config that must not appear in any text. */
export function secretsOf(server: McpServer): readonly string[] {
  return valuesOf(server).filter((value) => value.length >= MIN_SECRET_LENGTH);
}

function valuesOf(server: McpServer): readonly string[] {
  if (server.kind === 'stdio') return Object.values(server.env);
  const { searchParams, pathname } = server.url;
  const headers = Object.values(server.headers).flatMap((value) => [value, ...value.split(' ').slice(1)]);
  // Some addresses carry their key as a segment of the path.
  const segments = pathname.split('/').filter((segment) => segment.length >= 20);
  return [...headers, ...searchParams.values(), ...segments];
}

/** Escapes control characters except newlines: text from a server must not move the cursor of a terminal. */
function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) =>
    char === '\n' ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

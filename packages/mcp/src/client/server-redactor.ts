import { createRedactor, MIN_GUESSED_SECRET_LENGTH, MIN_SECRET_SEGMENT_LENGTH } from '@kernel/internal';
import type { McpServer } from './config.ts';

/** Creates a function that removes a server's secrets from text and makes control characters visible. */
export function createServerRedactor(server: McpServer): (text: string) => string {
  const redactor = createRedactor(secretsOf(server));
  return (text) => escapeControls(redactor.text(text));
}

/** The values of a config that may be secrets, as nobody says which of them are. */
function secretsOf(server: McpServer): readonly string[] {
  return valuesOf(server).filter((value) => value.length >= MIN_GUESSED_SECRET_LENGTH);
}

function valuesOf(server: McpServer): readonly string[] {
  if (server.kind === 'stdio') return Object.values(server.env);
  const { searchParams, pathname } = server.url;
  const headers = Object.values(server.headers).flatMap((value) => [value, ...value.split(' ').slice(1)]);
  // Some addresses carry their key as a segment of the path.
  const segments = pathname.split('/').filter((segment) => segment.length >= MIN_SECRET_SEGMENT_LENGTH);
  return [...headers, ...searchParams.values(), ...segments];
}

/** Escapes control characters except newlines: text from a server must not move the cursor of a terminal. */
function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) =>
    char === '\n' ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

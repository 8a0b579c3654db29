import { KernelError } from '@kernel/protocol';
import type { Client, FetchLike, JsonSchemaValidatorResult } from '@modelcontextprotocol/client';
import type { McpServer } from '../config.ts';
import { redactedError } from '../server-redactor.ts';
import { type ListedTools, listTools } from './list-tools.ts';
import { createHttpLink } from '../transport/http-link.ts';
import type { ServerLink } from '../transport/server-link.ts';
import { createStdioLink } from '../transport/stdio-link.ts';
import { type Elicit, handleElicitation } from './elicitation.ts';
import { causeOf } from './request-failure.ts';

export interface ConnectionOptions {
  readonly client: { readonly name: string; readonly version: string };
  readonly connectTimeoutMs: number;
  readonly graceMs: number;
  readonly fetch: FetchLike | undefined;
  readonly elicit: Elicit | undefined;
  /** Removes secrets from text and makes control characters visible. */
  readonly redact: (text: string) => string;
}

export interface ConnectionEvents {
  onListChanged(): void;
  onClosed(): void;
}

export interface Connection {
  readonly client: Client;
  readonly link: ServerLink;
  /** When the server last waited for the user's answer, in ms of `performance.now()`; `-Infinity` if it never did. */
  lastAskedMs(): number;
  listTools(signal: AbortSignal): Promise<ListedTools>;
}

/**
 * Connects and initialises within the connect timeout. Rejects with a `TOOL_UNAVAILABLE` that names the server, the cause and the last lines
 * of stderr, or with the reason of `signal`; then nothing that was started is left running.
 */
export async function openConnection(
  server: McpServer,
  options: ConnectionOptions,
  signal: AbortSignal,
  events: ConnectionEvents,
): Promise<Connection> {
  const { elicit, connectTimeoutMs } = options;
  const sdk = await import('@modelcontextprotocol/client');
  signal.throwIfAborted();
  const client = new sdk.Client(options.client, {
    capabilities: elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true } } },
    // The SDK would compile the schemas of a server, patterns included; results are checked by `checkOutput`.
    jsonSchemaValidator: { getValidator: () => acceptAll },
  });
  const lastAskedMs = elicit === undefined ? () => -Infinity : handleElicitation(client, server.name, elicit);
  client.setNotificationHandler('notifications/tools/list_changed', () => events.onListChanged());
  Object.assign(client, { onclose: () => events.onClosed() });
  const link =
    server.kind === 'stdio'
      ? createStdioLink(sdk, server, options.graceMs)
      : createHttpLink(sdk, server, options.fetch);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error('the connect timeout has passed')), connectTimeoutMs);
  try {
    const either = AbortSignal.any([signal, timeout.signal]);
    await client.connect(link.transport, { signal: either, timeout: connectTimeoutMs + 1000 });
  } catch (error) {
    const cause = timeout.signal.aborted ? `did not answer within ${connectTimeoutMs} ms` : causeOf(error, link);
    await link.close();
    signal.throwIfAborted();
    throw unavailableError(server, options.redact, cause, link, error);
  } finally {
    clearTimeout(timer);
  }
  return {
    client,
    link,
    lastAskedMs,
    listTools: (listSignal) => listTools(client, listSignal, connectTimeoutMs),
  };
}

export function unavailableError(
  server: McpServer,
  redact: (text: string) => string,
  cause: string,
  link: ServerLink,
  error: unknown,
): KernelError {
  const tail = link.stderrTail();
  const where = server.kind === 'stdio' ? `(${server.command})` : `(${server.url.origin}${server.url.pathname})`;
  const stderr = tail === '' ? '' : ` Its last lines on stderr:\n${tail}`;
  return new KernelError('TOOL_UNAVAILABLE', redact(`MCP server "${server.name}" ${where} ${cause}.${stderr}`), {
    retryable: true,
    data: { server: server.name },
    cause: redactedError(error, redact),
  });
}

function acceptAll<T>(data: unknown): JsonSchemaValidatorResult<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the SDK's own validators do with valid data
  return { valid: true, data: data as T, errorMessage: undefined };
}

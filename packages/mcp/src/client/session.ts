import { KernelError } from '@kernel/protocol';
import type { Client, FetchLike, Tool as Listing } from '@modelcontextprotocol/client';
import type { McpServer } from './config.ts';
import { causeOf } from './faults.ts';
import { answerElicitation, type Elicit } from './elicit.ts';
import { createHttpLink } from './http-link.ts';
import type { Link } from './link.ts';
import { type CheckOutput, createCheckOutput } from './output.ts';
import { createStdioLink } from './stdio-link.ts';

/** What every connection to a server is made with. */
export interface SessionOptions {
  readonly client: { readonly name: string; readonly version: string };
  readonly connectTimeoutMs: number;
  readonly graceMs: number;
  readonly fetch: FetchLike | undefined;
  readonly elicit: Elicit | undefined;
  /** Takes secrets out of a text and makes control characters visible. */
  readonly redact: (text: string) => string;
}

/** One connection to a server, initialized. */
export interface Session {
  readonly client: Client;
  readonly link: Link;
  readonly checkOutput: CheckOutput;
  /** Until when the server waited for the user's answer, in ms of `performance.now()`; `-Infinity` if it never did. */
  askedUntilMs(): number;
  /** All pages of `tools/list`. */
  list(signal: AbortSignal): Promise<readonly Listing[]>;
}

/**
 * Connects and initializes within the connect clock. Rejects with a `TOOL_UNAVAILABLE` that names the server, the cause and the last lines of
 * stderr, or with the reason of `signal`; then nothing that was started is left.
 */
export async function openSession(
  server: McpServer,
  options: SessionOptions,
  signal: AbortSignal,
  hooks: { onListChanged(): void; onClosed(): void },
): Promise<Session> {
  const sdk = await import('@modelcontextprotocol/client');
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  signal.throwIfAborted();
  const client = new sdk.Client(options.client, {
    capabilities: options.elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true } } },
  });
  const askedUntilMs =
    options.elicit === undefined ? () => -Infinity : answerElicitation(client, server.name, options.elicit);
  client.setNotificationHandler('notifications/tools/list_changed', () => hooks.onListChanged());
  Object.assign(client, { onclose: () => hooks.onClosed() });
  const link =
    server.kind === 'stdio'
      ? createStdioLink(sdk, server, options.graceMs)
      : createHttpLink(sdk, server, options.fetch);
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(new Error('the connect clock ran out')), options.connectTimeoutMs);
  try {
    const either = AbortSignal.any([signal, clock.signal]);
    await client.connect(link.transport, { signal: either, timeout: options.connectTimeoutMs + 1000 });
  } catch (error) {
    const cause = clock.signal.aborted ? `did not answer within ${options.connectTimeoutMs} ms` : causeOf(error, link);
    await link.close();
    signal.throwIfAborted();
    throw unavailable(server, options, cause, link, error);
  } finally {
    clearTimeout(timer);
  }
  const checkOutput = createCheckOutput(new AjvJsonSchemaValidator());
  return { client, link, checkOutput, askedUntilMs, list: (stop) => listTools(client, stop, options.connectTimeoutMs) };
}

/** The error for a server that could not be reached or started. */
export function unavailable(
  server: McpServer,
  options: Pick<SessionOptions, 'redact'>,
  cause: string,
  link: Link,
  error: unknown,
): KernelError {
  const words = link.lastWords();
  const where = server.kind === 'stdio' ? `(${server.command})` : `(${server.url.origin}${server.url.pathname})`;
  const stderr = words === '' ? '' : ` Its last lines on stderr:\n${words}`;
  return new KernelError(
    'TOOL_UNAVAILABLE',
    options.redact(`MCP server "${server.name}" ${where} ${cause}.${stderr}`),
    {
      retryable: true,
      data: { server: server.name },
      cause: error,
    },
  );
}

async function listTools(client: Client, signal: AbortSignal, timeoutMs: number): Promise<readonly Listing[]> {
  // Without this the SDK prints a line on stdout.
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const clock = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { tools } = await client.listTools(undefined, { signal: clock, timeout: timeoutMs, cacheMode: 'refresh' });
  return tools;
}

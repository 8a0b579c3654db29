import { definedFields, delay, untilAborted } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { Client, FetchLike, JsonSchemaValidatorResult, PriorDiscovery } from '@modelcontextprotocol/client';
import { createAskClock } from '../calls/call-clock.ts';
import { createTaskNews, TASKS_EXTENSION } from '../calls/remote-task.ts';
import type { McpServer } from '../config.ts';
import { type ListedTools, listEntries, TOOLS } from './list-tools.ts';
import { handleQuestions, type QuestionOptions } from './questions.ts';
import { causeOf } from './request-failure.ts';
import { redactedError } from '../server-redactor.ts';
import { APP_MIME_TYPE, APPS_EXTENSION } from '../tools/remote-tool.ts';
import { createHttpLink } from '../transport/http-link.ts';
import type { ServerLink } from '../transport/server-link.ts';
import { createStdioLink } from '../transport/stdio-link.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/**
 * Subscribes to changes of the list of tools, and again whenever the subscription ends, with a pause that doubles;
 * `onSubscribed` is called each time, since earlier changes may have been missed. For servers of 2026-07-28; older ones
 * send their changes unasked. Ends with the signal. Never rejects.
 */
async function subscribeToList(client: Client, signal: AbortSignal, onSubscribed: () => void): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const startedMs = performance.now();
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { signal });
      onSubscribed();
      if ((await subscription.closed) === 'local') return;
    } catch {
      // It may be unable to; the list is loaded again when it is too old, or on the next connection.
    }
    if (performance.now() - startedMs > MAX_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
    await delay(pauseMs, signal).catch(() => {}); // the signal ends the loop
  }
}

export interface ConnectionOptions extends QuestionOptions {
  readonly client: { readonly name: string; readonly version: string };
  readonly connectTimeoutMs: number;
  readonly graceMs: number;
  readonly fetch: FetchLike | undefined;
  readonly showsApps: boolean;
  /** Removes secrets from text and makes control characters visible. */
  readonly redact: (text: string) => string;
}

export interface ConnectionEvents {
  onListChanged(): void;
  onClosed(): void;
}

export interface Connection {
  readonly client: Client;
  /** Whether the server speaks 2026-07-28, without a session, or a version before it. */
  readonly era: 'modern' | 'legacy';
  readonly link: ServerLink;
  /** When the server last waited for the user's answer, in ms of `performance.now()`; `-Infinity` if it never did. */
  lastAskedMs(): number;
  listTools(signal: AbortSignal): Promise<ListedTools>;
  /** Answers a question of a task; undefined if this client is unable to. */
  answer(request: unknown, signal: AbortSignal): Promise<unknown>;
  readonly listenToTask: ReturnType<typeof createTaskNews>;
}

/** How long a program may leave the question for its version without an answer, before it gets the handshake of the older versions. */
const PROBE_MS = 2000;
/** The same for one that refused that handshake: it speaks no older version, and was slow to start. */
const SLOW_PROBE_MS = 20_000;

/**
 * Connects within the connect timeout, in the newest version that both sides speak. Rejects with a `TOOL_UNAVAILABLE` that names the server, the cause
 * and the last lines of stderr, or with the reason of `signal`; then nothing that was started is left running.
 *
 * A server is asked for its version by `server/discover`, unless it is `known` to speak an old one. A program that ends at that question, as some
 * old ones do, is started again and not asked; one that stays silent gets the handshake of the older versions.
 */
export async function openConnection(
  server: McpServer,
  options: ConnectionOptions,
  signal: AbortSignal,
  events: ConnectionEvents,
  known?: 'legacy',
): Promise<Connection> {
  const { elicitation, roots, sampling, showsApps, connectTimeoutMs } = options;
  const sdk = await import('@modelcontextprotocol/client');
  signal.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error('the connect timeout has passed')), connectTimeoutMs);
  const either = AbortSignal.any([signal, timeout.signal]);

  const connect = async (prior: PriorDiscovery | undefined, probeMs = PROBE_MS): Promise<Connection> => {
    const startedMs = performance.now();
    const client = new sdk.Client(options.client, {
      capabilities: definedFields({
        elicitation:
          elicitation &&
          definedFields({
            form: elicitation.elicit && { applyDefaults: true },
            url: elicitation.elicitUrl && {},
          }),
        roots: roots && {},
        sampling: sampling && {},
        extensions: { [TASKS_EXTENSION]: {}, ...(showsApps && { [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } }) },
      }),
      // The SDK would compile the schemas of a server, patterns included; results are checked by `checkOutput`.
      jsonSchemaValidator: { getValidator: () => acceptAll },
      versionNegotiation: { mode: 'auto', probe: server.kind === 'stdio' ? { timeoutMs: probeMs } : {} },
    });
    const listenToTask = createTaskNews(client);
    const clock = createAskClock();
    const answer = handleQuestions(sdk, client, server.name, options, clock);
    client.setNotificationHandler('notifications/tools/list_changed', () => events.onListChanged());
    const link =
      server.kind === 'stdio'
        ? createStdioLink(sdk, server, options.graceMs)
        : createHttpLink(sdk, server, options.fetch);
    try {
      // The SDK does not look at the signal while it asks for the version.
      const negotiating = client.connect(link.transport, {
        signal: either,
        timeout: connectTimeoutMs + 1000,
        ...(prior === undefined ? {} : { prior }),
      });
      await untilAborted(negotiating, either);
    } catch (error) {
      const cause = timeout.signal.aborted ? `did not answer within ${connectTimeoutMs} ms` : causeOf(error, link);
      await link.close();
      signal.throwIfAborted();
      if (prior === undefined && server.kind === 'stdio' && !timeout.signal.aborted) {
        if (link.hasEnded()) return connect({ kind: 'legacy' });
        const wasSilent = performance.now() - startedMs >= PROBE_MS;
        if (wasSilent && probeMs === PROBE_MS) return connect(undefined, SLOW_PROBE_MS);
      }
      throw unavailableError(server, options.redact, cause, link, error);
    }
    const closed = new AbortController();
    // Not before: a program that ends at the question for its version has lost no connection.
    Object.assign(client, {
      onclose: () => {
        closed.abort();
        events.onClosed();
      },
    });
    const isModern = client.getProtocolEra() === 'modern';
    let hasListed = false;
    // What changed between a list and the subscription was told to nobody.
    const onSubscribed = (): void => {
      if (hasListed) events.onListChanged();
    };
    if (isModern && client.getServerCapabilities()?.tools?.listChanged === true)
      void subscribeToList(client, closed.signal, onSubscribed);
    return {
      client,
      link,
      era: isModern ? 'modern' : 'legacy',
      lastAskedMs: clock.lastAskedMs,
      answer,
      listenToTask,
      async listTools(listSignal) {
        hasListed = true;
        const listed = await listEntries(client, TOOLS, listSignal, connectTimeoutMs);
        return { ...listed, sendsHeaders: isModern && server.kind === 'http' };
      },
    };
  };

  try {
    return await connect(known === undefined ? undefined : { kind: known });
  } finally {
    clearTimeout(timer);
  }
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

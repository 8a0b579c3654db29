import { checkKeys, KernelError, optionKeys } from '@kernel/protocol';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Elicit, ElicitUrl, McpRoot } from './connection/questions.ts';
import type { McpSampling } from './connection/sampling.ts';
import type { ApproveTools, McpPins } from './tools/approved-tools.ts';

/** How to connect to servers. */
export interface ConnectMcpOptions {
  /** Aborts connecting. Without effect once `connectMcp` has resolved. */
  readonly signal?: AbortSignal | undefined;
  /** How long a call may run without a result or progress; the time in which `elicit` asks the user does not count. Default 60,000; 0 means no timeout. */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a call may take in total: progress does not extend it, and the time of `elicit` counts. Default 3,600,000 (an hour); 0 means no
   * limit.
   */
  readonly maxCallMs?: number | undefined;
  /** How long a server may take to start and answer, and again to list its tools. Default 60,000: `npx` may have to download it. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a program may take to end after its standard input was closed, and again after SIGTERM. Default 1000. */
  readonly graceMs?: number | undefined;
  /**
   * Decides on each change of a server's tools since the first list, or since `pins`. New and changed tools are not offered until it returns
   * true. Without it changes are approved, unless there are `pins`.
   */
  readonly approveTools?: ApproveTools | undefined;
  /** The result of `pins()` in an earlier run. Definitions that differ go to `approveTools`; without that they are not offered. */
  readonly pins?: McpPins | undefined;
  /**
   * Servers, by name, whose hints you trust: only then does a tool that its server calls read-only or idempotent have that effect, and runs without
   * approval, or may be retried. Default: none; such a tool counts as `external`.
   */
  readonly trustHints?: readonly string[] | undefined;
  /**
   * Called for a server that could not be started or reached; the others are used. Without it `connectMcp` rejects. Also called for a tool that
   * cannot be used because its output schema is invalid; `error.data.tool` names it, and the other tools of the server are used either way. And for a
   * list of tools that does not end or breaks off: `error.data.isPartial` is true, and the tools that were listed until then are used either way.
   */
  readonly onUnavailable?: ((server: string, error: KernelError) => void) | undefined;
  /** Answers questions that servers ask the user. Without it, servers learn that there is no user to ask. */
  readonly elicit?: Elicit | undefined;
  /**
   * Shows the user a page that a server wants opened, for example to sign in; a call that the server refuses until then is made once more. Without it, servers
   * learn that this is not possible.
   */
  readonly elicitUrl?: ElicitUrl | undefined;
  /** Lets servers ask a model, at the user's cost. Default: they may not. */
  readonly sampling?: McpSampling | undefined;
  /** Whether this program shows the apps of servers (`apps` of the toolset). Default false: servers learn that it shows none. */
  readonly showsApps?: boolean | undefined;
  /** The folders that servers are told of when they ask. Default: none. */
  readonly roots?: readonly McpRoot[] | undefined;
  /**
   * Returns the trace context that a call takes to its server, in `_meta`: `traceparent`, `tracestate` and `baggage` (W3C). `traceContext` of `@kernel/agent/otel`
   * does.
   */
  readonly traceContext?: TraceContextOf | undefined;
  /** Sends the HTTP requests, for example through a proxy, or signed in (`createSignIn` of `@kernel/mcp/auth`). Default: the global `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** How this program introduces itself. Default `@kernel/mcp`. */
  readonly client?:
    | {
        /** The name of the program, as servers see it in `clientInfo`. */
        readonly name: string;
        /** The version of the program. */
        readonly version: string;
      }
    | undefined;
}

export type TraceContextOf = () => { readonly [field: string]: string };

const KEYS = optionKeys<ConnectMcpOptions>({
  signal: true,
  timeoutMs: true,
  maxCallMs: true,
  connectTimeoutMs: true,
  graceMs: true,
  approveTools: true,
  pins: true,
  trustHints: true,
  onUnavailable: true,
  elicit: true,
  elicitUrl: true,
  sampling: true,
  showsApps: true,
  roots: true,
  traceContext: true,
  fetch: true,
  client: true,
});
const CLIENT_KEYS = optionKeys<NonNullable<ConnectMcpOptions['client']>>({ name: true, version: true });

export function checkConnectKeys(options: ConnectMcpOptions): void {
  checkKeys('connectMcp', options, KEYS);
  if (options.client !== undefined) checkKeys('connectMcp', options.client, CLIENT_KEYS, 'client.');
}

export function checkTrusted(names: readonly string[], servers: readonly { readonly name: string }[]): void {
  const known = servers.map(({ name }) => name);
  const given: readonly unknown[] = Array.isArray(names) ? names : [names];
  const unknown = given.find((name) => !known.some((each) => each === name));
  if (unknown === undefined) return;
  throw new KernelError(
    'CONFIG_INVALID',
    `trustHints names "${typeof unknown === 'string' ? unknown : typeof unknown}", which is not among the servers.`,
    {
      hint: `Pass an array of some of: ${known.join(', ')}.`,
    },
  );
}

export function checkTimeout(name: string, value: number): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw new KernelError('CONFIG_INVALID', `${name} must be a number of milliseconds of at least 0, not ${value}.`);
}

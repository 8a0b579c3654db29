import { attempt, createRedactor, isObject, truncate } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** Servers in the `mcpServers` format that MCP programs share. Other keys of the file are ignored. */
export interface McpConfig {
  /** By name. The name becomes part of those of its tools: `mcp__name__tool`. */
  readonly mcpServers: { readonly [name: string]: McpServerConfig };
}

/** One server: a program to start, or an address. */
export type McpServerConfig = McpStdioServer | McpHttpServer;

/** A program that speaks MCP over its standard streams. */
export interface McpStdioServer {
  /** `stdio`, or absent. */
  readonly type?: string | undefined;
  /** The name or path of the program. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[] | undefined;
  /** Added to the few variables that are inherited: `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER`, or the equivalent on Windows. */
  readonly env?: { readonly [name: string]: string } | undefined;
  /** Default: the current folder. */
  readonly cwd?: string | undefined;
  /** True ignores the server. */
  readonly disabled?: boolean | undefined;
}

/** A server at an address that speaks streamable HTTP. */
export interface McpHttpServer {
  /** `http`, `streamable-http`, or absent. */
  readonly type?: string | undefined;
  /** An http or https address, without user name and password. */
  readonly url: string;
  /** Sent with every request, such as `Authorization`. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** True ignores the server. */
  readonly disabled?: boolean | undefined;
}

export type McpServer =
  | {
      readonly kind: 'stdio';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: { readonly [name: string]: string };
      readonly cwd?: string;
    }
  | {
      readonly kind: 'http';
      readonly name: string;
      readonly url: URL;
      readonly headers: { readonly [name: string]: string };
    };

interface Entry {
  readonly [key: string]: unknown;
}

const STDIO_TYPES = ['stdio'];
const HTTP_TYPES = ['http', 'streamable-http', 'streamableHttp'];

/** Keys of other programs, and mistakes, that would change which server is reached or how. Any other unknown key is ignored. */
const UNSUPPORTED_KEYS: ReadonlyMap<string, string> = new Map([
  ['cmd', 'Write "command".'],
  ['arg', 'Write "args".'],
  ['environment', 'Write "env".'],
  ['header', 'Write "headers".'],
  ['serverUrl', 'Write "url".'],
  ['httpUrl', 'Write "url".'],
  ['endpoint', 'Write "url".'],
  ['envFile', 'Read the file yourself and put its variables in "env".'],
  ['headersHelper', 'Run the helper yourself and put its output in "headers".'],
  ['auth', 'Put an Authorization header in "headers", or use the option "fetch".'],
  ['oauth', 'Put an Authorization header in "headers", or use the option "fetch".'],
]);

/** Validates a config from outside, such as a JSON file, and returns the part of it that is used. Throws `CONFIG_INVALID` like `connectMcp`. */
export function toMcpConfig(value: unknown): McpConfig {
  const servers = readMcpConfig(value).map((server): [string, McpServerConfig] => {
    const { kind: _kind, name, ...rest } = server;
    return [name, 'url' in rest ? { ...rest, url: rest.url.href } : rest];
  });
  return { mcpServers: Object.fromEntries(servers) };
}

/**
 * Validates a config and returns its servers in order, without those that are disabled. Throws `CONFIG_INVALID` with server, key and value;
 * values of `env` and `headers` are never shown.
 */
export function readMcpConfig(config: unknown): readonly McpServer[] {
  const servers = isObject(config) ? config['mcpServers'] : undefined;
  if (!isObject(servers)) {
    const hint =
      isObject(config) && isObject(config['servers'])
        ? 'Rename "servers" to "mcpServers".'
        : 'Pass { mcpServers: { name: { command, args, env } or { url, headers } } }.';
    throw new KernelError('CONFIG_INVALID', `An MCP config needs an object "mcpServers", not ${show(servers)}.`, {
      hint,
    });
  }
  return Object.entries(servers).flatMap(([name, entry]) => {
    if (name.trim() === '') throw invalid(name, undefined, 'has an empty name', 'Give it a name.');
    if (!isObject(entry))
      throw invalid(name, undefined, `must be an object, not ${show(entry)}`, 'Set "command" or "url".');
    const { disabled = false } = entry;
    if (typeof disabled !== 'boolean') throw invalid(name, 'disabled', `must be true or false, not ${show(disabled)}`);
    return disabled ? [] : [readServer(name, entry)];
  });
}

function readServer(name: string, entry: Entry): McpServer {
  for (const [key, hint] of UNSUPPORTED_KEYS)
    if (Object.hasOwn(entry, key)) throw invalid(name, key, 'is not supported', hint);
  const { command, url, type } = entry;
  if (command !== undefined && url !== undefined)
    throw invalid(
      name,
      'url',
      'cannot be combined with "command"',
      'Keep "command" for a program, or "url" for an address.',
    );
  if (command === undefined && url === undefined)
    throw invalid(name, 'command', 'is missing', 'Set "command" for a program, or "url" for an address.');
  const types = url === undefined ? STDIO_TYPES : HTTP_TYPES;
  if (type !== undefined && (typeof type !== 'string' || !types.includes(type))) {
    const hint =
      type === 'sse'
        ? 'The old SSE transport is not supported: use the server\'s streamable HTTP address, often ".../mcp".'
        : undefined;
    throw invalid(name, 'type', `must be ${types.join(' or ')} here, not ${show(type)}`, hint);
  }
  return url === undefined ? readStdio(name, entry, command) : readHttp(name, entry, url);
}

function readStdio(name: string, entry: Entry, command: unknown): McpServer {
  forbidKeys(name, entry, ['headers'], 'A program takes "env".');
  const { args = [], cwd } = entry;
  if (typeof command !== 'string' || command.trim() === '')
    throw invalid(name, 'command', `must be the name or path of a program, not ${show(command)}`);
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    const hint = typeof args === 'string' ? 'Write each argument as a separate string.' : undefined;
    throw invalid(name, 'args', `must be an array of strings, not ${show(args)}`, hint);
  }
  if (cwd !== undefined && typeof cwd !== 'string') throw invalid(name, 'cwd', `must be a path, not ${show(cwd)}`);
  return {
    kind: 'stdio',
    name,
    command,
    args: args.map(String),
    env: readStrings(name, 'env', entry['env']),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function readHttp(name: string, entry: Entry, url: unknown): McpServer {
  forbidKeys(name, entry, ['args', 'env', 'cwd'], 'An address takes "headers".');
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw invalid(name, 'url', `must be an http or https address, not ${show(withoutCredentials(url))}`);
  if (parsed.username !== '' || parsed.password !== '')
    throw invalid(name, 'url', 'contains a user name or password', 'Put an Authorization header in "headers".');
  const headers = readStrings(name, 'headers', entry['headers']);
  if (attempt(() => new Headers(headers)) === undefined)
    throw invalid(name, 'headers', 'contains a name or value that HTTP does not allow');
  return { kind: 'http', name, url: parsed, headers };
}

function readStrings(name: string, key: string, value: unknown): { readonly [name: string]: string } {
  if (value === undefined) return {};
  if (!isObject(value))
    throw invalid(name, key, `must be an object of strings, not ${Array.isArray(value) ? 'an array' : typeof value}`);
  return Object.fromEntries(
    Object.entries(value).map(([each, text]) => {
      if (typeof text !== 'string')
        throw invalid(name, `${key}.${each}`, `must be a string, not a ${typeof text}`, 'Write it in quotes.');
      return [each, text];
    }),
  );
}

function forbidKeys(name: string, entry: Entry, keys: readonly string[], hint: string): void {
  for (const key of keys)
    if (entry[key] !== undefined) throw invalid(name, key, 'is not a key of this kind of server', hint);
}

function invalid(name: string, key: string | undefined, problem: string, hint?: string): KernelError {
  const where = key === undefined ? '' : `"${key}" `;
  return new KernelError('CONFIG_INVALID', `MCP server "${name}": ${where}${problem}.`, {
    hint,
    data: { server: name, ...(key === undefined ? {} : { key }) },
  });
}

/** An address as it may be shown: without a user name, a password and a query, which may hold a key. */
function withoutCredentials(url: unknown): unknown {
  if (typeof url !== 'string') return url;
  const [address = '', query] = url.split(/[?#]/, 2);
  return `${address.replace(/\/\/[^/@]*@/, '//…@')}${query === undefined ? '' : '?…'}`;
}

const redactor = createRedactor();

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  // A key in the wrong place, as in `command` or `url`, is redacted before it is cut.
  const text = redactor.text(JSON.stringify(value) ?? typeof value);
  return truncate(text, 80);
}

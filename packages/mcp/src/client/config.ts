import { KernelError } from '@kernel/protocol';

/** Servers in the `mcpServers` form that MCP programs share. Other keys of the file are ignored. */
export interface McpConfig {
  /** By name. The name becomes the prefix of its tools: `name_tool`. */
  readonly mcpServers: { readonly [name: string]: McpServerConfig };
}

/** One server: a program to start, or an address. */
export type McpServerConfig = McpStdioServer | McpHttpServer;

/** A program that speaks MCP over its standard streams. */
export interface McpStdioServer {
  /** `stdio`, or absent. */
  readonly type?: string | undefined;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Joins the few variables that are inherited: `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER`, or their like on Windows. */
  readonly env?: { readonly [name: string]: string } | undefined;
  /** Default: the current folder. */
  readonly cwd?: string | undefined;
  /** True leaves the server out. */
  readonly disabled?: boolean | undefined;
}

/** A server at an address that speaks streamable HTTP. */
export interface McpHttpServer {
  /** `http`, `streamable-http`, or absent. */
  readonly type?: string | undefined;
  readonly url: string;
  /** Sent with each request, such as `Authorization`. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** True leaves the server out. */
  readonly disabled?: boolean | undefined;
}

/** A server as it is connected to, checked. */
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

const STDIO_TYPES = ['stdio'];
const HTTP_TYPES = ['http', 'streamable-http', 'streamableHttp'];

/** Keys of other programs, and slips, that would change which server is reached or with what. Any other unknown key is ignored. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['cmd', 'Write "command".'],
  ['arg', 'Write "args".'],
  ['environment', 'Write "env".'],
  ['header', 'Write "headers".'],
  ['serverUrl', 'Write "url".'],
  ['httpUrl', 'Write "url".'],
  ['endpoint', 'Write "url".'],
  ['envFile', 'Read the file yourself and give its variables in "env".'],
  ['headersHelper', 'Run the helper yourself and give its output in "headers".'],
  ['auth', 'Give "headers" with an Authorization, or the option "fetch".'],
  ['oauth', 'Give "headers" with an Authorization, or the option "fetch".'],
]);

/** Checks a config that comes from outside, such as a JSON file, and returns what of it counts. Throws `CONFIG_INVALID` like `connectMcp`. */
export function toMcpConfig(value: unknown): McpConfig {
  const servers = readMcpConfig(value).map((server): [string, McpServerConfig] => {
    const { kind: _kind, name, ...rest } = server;
    return [name, 'url' in rest ? { ...rest, url: rest.url.href } : rest];
  });
  return { mcpServers: Object.fromEntries(servers) };
}

/**
 * Reads a config in the order of its servers, without those that are disabled. Throws `CONFIG_INVALID` that names server, key and value;
 * values of `env` and `headers` are never in it.
 */
export function readMcpConfig(config: unknown): readonly McpServer[] {
  const servers = isRecord(config) ? config['mcpServers'] : undefined;
  if (!isRecord(servers)) {
    const hint =
      isRecord(config) && isRecord(config['servers'])
        ? 'Rename "servers" to "mcpServers".'
        : 'Give { mcpServers: { name: { command, args, env } or { url, headers } } }.';
    throw new KernelError('CONFIG_INVALID', `An MCP config needs an object "mcpServers", not ${show(servers)}.`, {
      hint,
    });
  }
  return Object.entries(servers).flatMap(([name, entry]) => {
    if (name.trim() === '') throw fault(name, undefined, 'has an empty name', 'Give it one.');
    if (!isRecord(entry)) throw fault(name, undefined, `must be an object, not ${show(entry)}`, 'Give command or url.');
    const { disabled = false } = entry;
    if (typeof disabled !== 'boolean') throw fault(name, 'disabled', `must be true or false, not ${show(disabled)}`);
    return disabled ? [] : [readServer(name, entry)];
  });
}

/** Values of the config that must not be in any error text. */
export function secretsOf(server: McpServer): readonly string[] {
  if (server.kind === 'stdio') return Object.values(server.env);
  const { searchParams, pathname } = server.url;
  const headers = Object.values(server.headers).flatMap((value) => [value, ...value.split(' ').slice(1)]);
  // Some addresses carry their key as a part of the path.
  const parts = pathname.split('/').filter((part) => part.length >= 20);
  return [...headers, ...searchParams.values(), ...parts];
}

function readServer(name: string, entry: Entry): McpServer {
  for (const [key, hint] of REFUSED) if (Object.hasOwn(entry, key)) throw fault(name, key, 'is not understood', hint);
  const { command, url, type } = entry;
  if (command !== undefined && url !== undefined)
    throw fault(name, 'url', 'stands beside "command"', 'Keep "command" for a program, or "url" for an address.');
  if (command === undefined && url === undefined)
    throw fault(name, 'command', 'is missing', 'Give "command" for a program, or "url" for an address.');
  const types = url === undefined ? STDIO_TYPES : HTTP_TYPES;
  if (type !== undefined && (typeof type !== 'string' || !types.includes(type))) {
    const hint =
      type === 'sse'
        ? 'The old SSE transport is not supported: use the server\'s streamable HTTP address, often ".../mcp".'
        : undefined;
    throw fault(name, 'type', `must be ${types.join(' or ')} here, not ${show(type)}`, hint);
  }
  return url === undefined ? readStdio(name, entry, command) : readHttp(name, entry, url);
}

function readStdio(name: string, entry: Entry, command: unknown): McpServer {
  refuse(name, entry, ['headers'], 'A program takes "env".');
  const { args = [], cwd } = entry;
  if (typeof command !== 'string' || command.trim() === '')
    throw fault(name, 'command', `must be the name or path of a program, not ${show(command)}`);
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    const hint = typeof args === 'string' ? 'Write each argument as a string of its own.' : undefined;
    throw fault(name, 'args', `must be a list of strings, not ${show(args)}`, hint);
  }
  if (cwd !== undefined && typeof cwd !== 'string') throw fault(name, 'cwd', `must be a path, not ${show(cwd)}`);
  return {
    kind: 'stdio',
    name,
    command,
    args: args.map(String),
    env: readTexts(name, 'env', entry['env']),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function readHttp(name: string, entry: Entry, url: unknown): McpServer {
  refuse(name, entry, ['args', 'env', 'cwd'], 'An address takes "headers".');
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw fault(name, 'url', `must be an http or https address, not ${show(url)}`);
  if (parsed.username !== '' || parsed.password !== '')
    throw fault(name, 'url', 'holds a user name or password', 'Give "headers" with an Authorization.');
  const headers = readTexts(name, 'headers', entry['headers']);
  if (!isSendable(headers)) throw fault(name, 'headers', 'holds a name or value that HTTP does not allow');
  return { kind: 'http', name, url: parsed, headers };
}

function isSendable(headers: { readonly [name: string]: string }): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

function readTexts(name: string, key: string, value: unknown): { readonly [name: string]: string } {
  if (value === undefined) return {};
  if (!isRecord(value))
    throw fault(name, key, `must be an object of strings, not ${Array.isArray(value) ? 'a list' : typeof value}`);
  return Object.fromEntries(
    Object.entries(value).map(([each, text]) => {
      if (typeof text !== 'string')
        throw fault(name, `${key}.${each}`, `must be a string, not a ${typeof text}`, 'Put it in quotes.');
      return [each, text];
    }),
  );
}

function refuse(name: string, entry: Entry, keys: readonly string[], hint: string): void {
  for (const key of keys)
    if (entry[key] !== undefined) throw fault(name, key, 'does not belong to this kind of server', hint);
}

function fault(name: string, key: string | undefined, problem: string, hint?: string): KernelError {
  const place = key === undefined ? '' : `"${key}" `;
  return new KernelError('CONFIG_INVALID', `MCP server "${name}": ${place}${problem}.`, {
    hint,
    data: { server: name, ...(key === undefined ? {} : { key }) },
  });
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

interface Entry {
  readonly [key: string]: unknown;
}

function isRecord(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

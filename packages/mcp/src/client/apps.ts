import { attempt, isObject } from '@kernel/internal';
import { KernelError, type Toolset } from '@kernel/protocol';
import type { Client } from '@modelcontextprotocol/client';
import type { AskedServer, createAskServer } from './ask-server.ts';
import { type CallTarget, createRemoteCalls } from './calls/call-remote-tool.ts';
import { listEntries, RESOURCES } from './connection/list-tools.ts';
import type { McpContentOptions } from './contents.ts';
import type { ApprovedTools } from './tools/approved-tools.ts';
import { APP_MIME_TYPE } from './tools/remote-tool.ts';

/** The app of a tool. */
export interface McpApp {
  /** The name of the server in the config. */
  readonly server: string;
  /** The name of the tool on its server. */
  readonly tool: string;
  /** The address of the page, which begins with `ui://`. */
  readonly uri: string;
}

/** What a page may ask the browser for, by the name in the Permissions Policy. */
export type McpAppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboard-write';

/** The page of an app, which a server made: show it only in a sandbox of another origin, under its policy. */
export interface McpAppPage {
  /** The document. */
  readonly html: string;
  /** The header `Content-Security-Policy`: a sandbox with only the internet servers that the page declared. */
  readonly policy: string;
  /** The origins that the page may load from and connect to. */
  readonly hosts: readonly string[];
  /** What the page would like to use. Grant none of it without asking. */
  readonly permissions: readonly McpAppPermission[];
  /** Whether it is to have a border. */
  readonly prefersBorder: boolean;
}

/** The apps of servers: pages that show results and call tools (extension `io.modelcontextprotocol/ui`). */
export interface McpApps {
  /** The app of a tool, by its name in `list()`; undefined for one without. */
  find(tool: string): McpApp | undefined;
  /** Reads the page of an app: at most 4 MiB of HTML. Rejects with `TOOL_UNAVAILABLE` or `TOOL_FAILED`. */
  read(app: McpApp, options?: McpContentOptions): Promise<McpAppPage>;
  /**
   * The tools of a server that its apps may call, under the names of `list()`; some of them no model sees. A call by an
   * app is to be decided on as one by a model is.
   */
  tools(server: string): McpAppTools;
}

/** The tools that the apps of one server may call. */
export interface McpAppTools extends Toolset {
  /** The name of a tool in `list()`, by its name on the server; undefined if apps may not call it. */
  nameOf(tool: string): string | undefined;
}

type AppServer = AskedServer & CallTarget & { readonly tools: ApprovedTools };

export function createApps(
  { ask, find: findServer, servers }: ReturnType<typeof createAskServer<AppServer>>,
  isClosed: () => boolean,
): McpApps {
  return {
    find(tool) {
      for (const { server, tools } of servers) {
        const found = tools.find(tool);
        const uri = found?.app.uri;
        if (found !== undefined && uri !== undefined) return { server: server.config.name, tool: found.name, uri };
      }
      return undefined;
    },
    async read(app, { signal } = {}) {
      return ask(findServer(app.server), signal, (client, options) => readAppPage(client, app, options));
    },
    tools(name) {
      const target = findServer(name);
      const { forApps, ...tools } = target.tools;
      return {
        ...createRemoteCalls([{ ...target, tools: { ...tools, ...forApps } }], isClosed),
        list: () => forApps.tools(),
        nameOf: (tool: string) => forApps.remoteTools().find((each) => each.name === tool)?.tool.name,
      };
    },
  };
}

/** The longest page, in characters. */
const MAX_HTML = 4 * 1024 * 1024;

const PERMISSIONS = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
} as const satisfies Readonly<Record<string, McpAppPermission>>;

/** Reads the page of an app. Its own declarations come first, and the list of resources second. */
async function readAppPage(
  client: Client,
  app: McpApp,
  { signal, timeout }: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<McpAppPage> {
  const { contents } = await client.readResource({ uri: app.uri }, { signal, timeout });
  const page = contents.find(({ mimeType, uri }) => uri === app.uri && isAppType(mimeType));
  if (page === undefined) throw unusable(app, `is not a page of the type ${APP_MIME_TYPE}`);
  const html = 'text' in page ? page.text : decode(app, page.blob);
  if (html.length > MAX_HTML) throw unusable(app, `has ${html.length} characters; at most ${MAX_HTML} are shown`);
  const declared = uiOf(page) ?? (await listedUi(client, app, signal, timeout)) ?? {};
  const hosts = readAppHosts(declared['csp']);
  const wanted = isObject(declared['permissions']) ? declared['permissions'] : {};
  return {
    html,
    policy: toAppPolicy(hosts),
    hosts: [...new Set(Object.values(hosts).flat())],
    permissions: Object.entries(PERMISSIONS).flatMap(([name, permission]) =>
      isObject(wanted[name]) ? [permission] : [],
    ),
    prefersBorder: declared['prefersBorder'] !== false,
  };
}

function isAppType(mimeType: string | undefined): boolean {
  return mimeType?.replaceAll(' ', '').toLowerCase() === APP_MIME_TYPE;
}

function decode(app: McpApp, blob: string): string {
  // A base64 character is six bits.
  if (blob.length > MAX_HTML * 2) throw unusable(app, `has about ${Math.ceil(blob.length * 0.75)} bytes`);
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(blob, 'base64')));
  if (text === undefined) throw unusable(app, 'is not UTF-8 text');
  return text;
}

async function listedUi(client: Client, app: McpApp, signal: AbortSignal, timeout: number) {
  const listed = await listEntries(client, RESOURCES, signal, timeout).catch(() => undefined);
  return uiOf(listed?.entries.find((entry) => isObject(entry) && entry['uri'] === app.uri));
}

function uiOf(of: unknown): { readonly [name: string]: unknown } | undefined {
  const meta = isObject(of) ? of['_meta'] : undefined;
  const ui = isObject(meta) ? meta['ui'] : undefined;
  return isObject(ui) ? ui : undefined;
}

function unusable({ server, uri }: McpApp, why: string): KernelError {
  return new KernelError('TOOL_FAILED', `the app ${JSON.stringify(uri)} of MCP server "${server}" ${why}.`, {
    data: { server },
  });
}

/** Where an app may load from and connect to: origins, each list without repetition. */
interface AppHosts {
  readonly connect: readonly string[];
  readonly resources: readonly string[];
  readonly frames: readonly string[];
  readonly base: readonly string[];
}

const MAX_HOSTS = 50;
const MAX_LENGTH = 260;
/** An internet origin: a domain, by TLS, `*.` above at least two labels. No address of this machine or network. */
const ORIGIN = /^(https|wss):\/\/((?:\*\.)?(?:[a-z\d-]{1,63}\.)+[a-z][a-z\d-]{1,62}(?::\d{1,5})?)\/?$/i;
const LOCAL = /\.(?:localhost|local|internal|home|lan|arpa|test|invalid)(?::\d+)?$/i;

/** Reads the declared origins. Anything else, such as text with a blank, `;` or a line break, is left out. */
export function readAppHosts(csp: unknown): AppHosts {
  const declared = isObject(csp) ? csp : {};
  return {
    connect: originsOf(declared['connectDomains'], ['https', 'wss']),
    resources: originsOf(declared['resourceDomains'], ['https']),
    frames: originsOf(declared['frameDomains'], ['https']),
    base: originsOf(declared['baseUriDomains'], ['https']),
  };
}

function originsOf(list: unknown, schemes: readonly string[]): readonly string[] {
  const given: readonly unknown[] = Array.isArray(list) ? list.slice(0, MAX_HOSTS) : [];
  const origins = given.flatMap((each) => {
    if (typeof each !== 'string' || each.length > MAX_LENGTH || LOCAL.test(each.replace(/\/$/, ''))) return [];
    const [, scheme = '', host = ''] = ORIGIN.exec(each) ?? [];
    return schemes.includes(scheme.toLowerCase()) ? [`${scheme}://${host}`.toLowerCase()] : [];
  });
  return [...new Set(origins)];
}

/** Writes the `Content-Security-Policy` of an app: a sandbox, closed to everything that it did not declare. */
export function toAppPolicy({ base, connect, frames, resources }: AppHosts): string {
  return [
    "default-src 'none'",
    `script-src ${sources("'unsafe-inline'", ...resources)}`,
    `style-src ${sources("'unsafe-inline'", ...resources)}`,
    `img-src ${sources('data:', 'blob:', ...resources)}`,
    `font-src ${sources('data:', ...resources)}`,
    `media-src ${sources('data:', 'blob:', ...resources)}`,
    `connect-src ${sources(...connect)}`,
    `frame-src ${sources(...frames)}`,
    `base-uri ${sources(...base)}`,
    "object-src 'none'",
    "form-action 'none'",
    'sandbox allow-scripts allow-forms',
  ].join('; ');
}

function sources(...parts: readonly string[]): string {
  return parts.length === 0 ? "'none'" : parts.join(' ');
}

import { attempt, isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { Client } from '@modelcontextprotocol/client';
import type { McpApp, McpAppPage, McpAppPermission } from './apps.ts';
import { listEntries } from '../connection/list-tools.ts';
import { RESOURCES } from '../server-content.ts';
import { APP_MIME_TYPE } from '../tools/remote-tool.ts';

/** The longest page, in characters. */
const MAX_HTML = 4 * 1024 * 1024;

const PERMISSIONS = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
} as const satisfies Readonly<Record<string, McpAppPermission>>;

/** Reads the page of an app. What it declares counts from the page, and only without that from the list of resources. */
export async function readAppPage(
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
/** An origin on the internet: with a domain, by TLS. A wildcard stands for subdomains of at least two labels. No address of this machine or network. */
const ORIGIN = /^(https|wss):\/\/((?:\*\.)?(?:[a-z\d-]{1,63}\.)+[a-z][a-z\d-]{1,62}(?::\d{1,5})?)\/?$/i;
const LOCAL = /\.(?:localhost|local|internal|home|lan|arpa|test|invalid)(?::\d+)?$/i;

/** Reads the declared origins. Whatever is not one, such as text with a blank, a semicolon or a newline, is left out. */
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

/** The header `Content-Security-Policy` of an app: what it did not declare is closed, and it stays in a sandbox wherever it is shown. */
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

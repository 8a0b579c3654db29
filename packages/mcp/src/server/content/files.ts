import { attempt, errorMessage } from '@kernel/internal';
import type { McpServer, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { MAX_READ_BYTES, type ServedFiles } from './served-content.ts';
import type * as Sdk from '@modelcontextprotocol/server';

/** Where files are: an address of its own, so that no client takes a path for one of its own machine. */
const ROOT = 'workspace:///';
const MAX_FILES = 10_000;
const MAX_COMPLETIONS = 100;
/** How many files are looked at for those that begin as a path that is completed. */
const MAX_LOOKED_AT = 100_000;

/** Serves files as the resources of one template. */
export function registerFiles(sdk: typeof Sdk, server: McpServer, files: ServedFiles): void {
  const template = new sdk.ResourceTemplate(`${ROOT}{+path}`, {
    list: async ({ mcpReq }) => ({ resources: await listFiles(files, mcpReq.signal) }),
    complete: {
      path: async (typed) => {
        const found = await take(files, MAX_COMPLETIONS, new AbortController().signal, (path) =>
          path.startsWith(typed),
        );
        return [...found];
      },
    },
  });
  server.registerResource('files', template, { title: 'Files of the workspace' }, ({ href }, _values, { mcpReq }) =>
    readFile(sdk, files, href, mcpReq.signal),
  );
}

async function listFiles(files: ServedFiles, signal: AbortSignal): Promise<Resource[]> {
  const paths = await take(files, MAX_FILES, signal, () => true);
  return paths.map((path) => {
    const mimeType = mimeTypeOf(path);
    // Without a title of its own the SDK would give it that of the template.
    return { uri: uriOf(path), name: path, title: path, ...(mimeType === undefined ? {} : { mimeType }) };
  });
}

async function take(
  files: ServedFiles,
  most: number,
  signal: AbortSignal,
  isWanted: (path: string) => boolean,
): Promise<readonly string[]> {
  const paths: string[] = [];
  let left = MAX_LOOKED_AT;
  for await (const path of files.list(signal)) {
    if (isWanted(path) && path.isWellFormed()) paths.push(path);
    left -= 1;
    if (paths.length === most || left === 0) break;
  }
  return paths;
}

async function readFile(
  sdk: typeof Sdk,
  files: ServedFiles,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const path = pathOf(uri);
  if (path === undefined) throw new sdk.ResourceNotFoundError(uri);
  try {
    const bytes = await files.read(path, { maxBytes: MAX_READ_BYTES, signal });
    return { contents: [contentsOf(uri, path, bytes)] };
  } catch (error) {
    signal.throwIfAborted();
    throw new sdk.ResourceNotFoundError(uri, errorMessage(error).toWellFormed());
  }
}

function contentsOf(uri: string, path: string, bytes: Uint8Array): ReadResourceResult['contents'][number] {
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  const mimeType = mimeTypeOf(path);
  if (text !== undefined && !text.includes('\0')) return { uri, mimeType: mimeType ?? 'text/plain', text };
  return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: Buffer.from(bytes).toString('base64') };
}

function uriOf(path: string): string {
  return `${ROOT}${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The path in an address; undefined for one that no path has. */
function pathOf(uri: string): string | undefined {
  if (!uri.startsWith(ROOT) || uri.includes('?') || uri.includes('#')) return undefined;
  const names = uri.slice(ROOT.length).split('/');
  const decoded = names.map((name) => attempt(() => decodeURIComponent(name)) ?? '');
  const isPath = decoded.every((name) => name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name));
  return isPath ? decoded.join('/') : undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  svg: 'image/svg+xml',
  ts: 'text/x-typescript',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

/** The media type that the name of a file says; undefined if it says none. */
function mimeTypeOf(path: string): string | undefined {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
}

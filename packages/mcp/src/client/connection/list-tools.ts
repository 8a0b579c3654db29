import { attempt, isObject } from '@kernel/internal';
import type { Client } from '@modelcontextprotocol/client';
import { toSchema } from '../../json-rpc.ts';
import { MAX_MESSAGE_BYTES } from '../transport/server-link.ts';

export const MAX_TOOLS = 10_000;
const MAX_PAGES = 1_000;
/** A list is not used any longer than a day, whatever its server says. */
const MAX_TTL_MS = 86_400_000;
/** How many pages in a row may bring no tool of a new name. */
const MAX_IDLE_PAGES = 3;

/** What a server lists under a key, page by page. */
export interface ListKind {
  readonly method: 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';
  readonly key: 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
  readonly capability: 'tools' | 'resources' | 'prompts';
  /** The member that tells entries apart. */
  readonly id: 'name' | 'uri' | 'uriTemplate';
}

export interface ListedTools {
  /** The entries as the server wrote them, whatever they are. */
  readonly entries: readonly unknown[];
  /** Why there may be more that are not used, to follow the server's name. */
  readonly fault?: string;
  /** Whether the end of the list was not reached because of a failure that another attempt may not have. */
  readonly isBroken?: boolean;
  /** How long the list may be used, in ms; only where the server says so. */
  readonly ttlMs?: number | undefined;
  /** Whether calls send some of their arguments as HTTP headers, too (`x-mcp-header`). */
  readonly sendsHeaders?: boolean;
}

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor: unknown;
  readonly ttlMs: unknown;
}

/** Leaves the entries to who reads them: by the SDK's own schema, one bad entry makes the whole list invalid. */
const pageOf = (key: ListKind['key']) =>
  toSchema<Page>((value) => {
    const { [key]: items, nextCursor, ttlMs } = isObject(value) ? value : {};
    // Servers in Go write null for an empty list.
    if (items === null) return { value: { items: [], nextCursor, ttlMs } };
    if (!Array.isArray(items)) return { issues: [{ message: `"${key}" is not an array` }] };
    return { value: { items, nextCursor, ttlMs } };
  });

export const TOOLS: ListKind = { method: 'tools/list', key: 'tools', capability: 'tools', id: 'name' };
export const RESOURCES: ListKind = { method: 'resources/list', key: 'resources', capability: 'resources', id: 'uri' };
export const TEMPLATES: ListKind = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  capability: 'resources',
  id: 'uriTemplate',
};
export const PROMPTS: ListKind = { method: 'prompts/list', key: 'prompts', capability: 'prompts', id: 'name' };

/**
 * Lists all pages. When the list ends is not for the server alone to say: a cursor that is empty, null or repeated ends it, and
 * so do too many pages, entries or characters. What was listed until then is used. Rejects if the first page cannot be loaded, and on abort.
 */
export async function listEntries(
  client: Client,
  { method, key, capability, id }: ListKind,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ListedTools> {
  // Without this check the SDK prints a line on stdout.
  if (client.getServerCapabilities()?.[capability] === undefined) return { entries: [] };
  const schema = pageOf(key);
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const entries: unknown[] = [];
  const names = new Set<unknown>();
  const cursors = new Set<string>();
  let [length, idlePages] = [0, 0];
  let cursor: string | undefined;
  let shortestMs: number | undefined;
  for (let number = 1; ; number += 1) {
    let page: Page;
    try {
      page = await client.request({ method, ...(cursor === undefined ? {} : { params: { cursor } }) }, schema, {
        signal: either,
        timeout: timeoutMs,
      });
    } catch (error) {
      if (number === 1 || signal.aborted) throw error;
      return { entries, fault: `failed to return page ${number} of its list of ${key}`, isBroken: true };
    }
    const known = names.size;
    for (const entry of page.items) {
      length += lengthOf(entry);
      if (entries.length === MAX_TOOLS) return { entries, fault: `lists more than ${MAX_TOOLS} ${key}` };
      if (length > MAX_MESSAGE_BYTES)
        return { entries, fault: `has a list of ${key} longer than ${MAX_MESSAGE_BYTES} characters` };
      entries.push(entry);
      names.add(isObject(entry) ? entry[id] : undefined);
    }
    const { nextCursor: next, ttlMs } = page;
    if (typeof ttlMs === 'number' && ttlMs > 0) shortestMs = Math.min(shortestMs ?? MAX_TTL_MS, ttlMs);
    if (next === undefined || next === null || next === '') return { entries, ttlMs: shortestMs };
    if (typeof next !== 'string')
      return { entries, fault: `sent a cursor that is not a string for the next page of its list of ${key}` };
    if (cursors.has(next))
      return { entries, fault: `sent the same cursor twice in its list of ${key}, which would never end` };
    idlePages = names.size === known ? idlePages + 1 : 0;
    if (idlePages === MAX_IDLE_PAGES || number === MAX_PAGES)
      return { entries, fault: `has a list of ${key} that did not end after ${number} pages` };
    cursors.add(next);
    cursor = next;
  }
}

function lengthOf(tool: unknown): number {
  return attempt(() => JSON.stringify(tool).length) ?? 0; // nested too deeply: it is not offered
}

import { isObject } from '@kernel/internal';
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { MAX_MESSAGE_BYTES } from '../transport/server-link.ts';

/** The most tools that a server may list, and the most pages. */
export const MAX_TOOLS = 10_000;
const MAX_PAGES = 1_000;

/** One answer to `tools/list`. */
interface Page {
  /** The entries as the server wrote them, whatever they are. */
  readonly tools: readonly unknown[];
  /** Names the next page, if there is one. */
  readonly nextCursor?: string;
}

/** Leaves the entries to `readListedTool`: by the SDK's own schema, one bad entry makes the whole list invalid. */
const PAGE: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'kernel',
    validate(value) {
      const { tools, nextCursor } = isObject(value) ? value : {};
      if (!Array.isArray(tools)) return { issues: [{ message: '"tools" is not an array' }] };
      if (nextCursor === undefined || typeof nextCursor === 'string')
        return { value: { tools, ...(nextCursor === undefined ? {} : { nextCursor }) } };
      return { issues: [{ message: '"nextCursor" is not a string' }] };
    },
  },
};

/** Lists all pages of `tools/list`, with entries as the server wrote them. Rejects for a list that has too many tools or pages, or is longer than a message may be. */
export async function listTools(client: Client, signal: AbortSignal, timeoutMs: number): Promise<readonly unknown[]> {
  // Without this check the SDK prints a line on stdout.
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const tools: unknown[] = [];
  let length = 0;
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const { nextCursor, tools: listed } = await client.request(
      { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
      PAGE,
      { signal: either, timeout: timeoutMs },
    );
    if (tools.length + listed.length > MAX_TOOLS) throw new Error(`it lists more than ${MAX_TOOLS} tools`);
    for (const tool of listed) {
      tools.push(tool);
      length += lengthOf(tool);
    }
    if (length > MAX_MESSAGE_BYTES) throw new Error(`its list of tools is longer than ${MAX_MESSAGE_BYTES} characters`);
    if (nextCursor === undefined || (nextCursor === cursor && listed.length === 0)) return tools;
    cursor = nextCursor;
  }
  throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
}

function lengthOf(tool: unknown): number {
  try {
    return JSON.stringify(tool).length;
  } catch {
    return 0; // nested too deeply: it is not offered
  }
}

import type { Client, Tool as ListedTool } from '@modelcontextprotocol/client';
import { MAX_MESSAGE_BYTES } from '../transport/server-link.ts';

/** The most tools that a server may list, and the most pages. */
export const MAX_TOOLS = 10_000;
const MAX_PAGES = 1_000;

/** Lists all pages of `tools/list`. Rejects for a list that has too many tools or pages, or is longer than a message may be. */
export async function listTools(
  client: Client,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<readonly ListedTool[]> {
  // Without this check the SDK prints a line on stdout.
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const tools: ListedTool[] = [];
  let length = 0;
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const { nextCursor, tools: listed } = await client.request(
      { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
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

function lengthOf(tool: ListedTool): number {
  try {
    return JSON.stringify(tool).length;
  } catch {
    return 0; // nested too deeply: it is not offered
  }
}

import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REFUSED } from './exceptions.ts';
import { read, sentBody } from './exchange.ts';
import { type RecordedFile, REPLIES, recordedFiles, valuesOf } from './files.ts';
import { receivedParts, sentParts } from './vendor-parts.ts';

const files = recordedFiles().filter(({ path }) => !REFUSED.has(path));
const withParts = files.filter((file) => receivedParts(file.wire, valuesOf(file)).length > 0);

/** In how many replies each vendor has parts of each tool, and how many parts. No other recorded reply has such parts. */
const TABLE = {
  anthropic: {
    advisor: '4 replies, 12 parts',
    bash_code_execution: '9 replies, 62 parts',
    citations: '2 replies, 12 parts',
    code_execution: '5 replies, 8 parts',
    compaction: '2 replies, 2 parts',
    fallback: '2 replies, 2 parts',
    mcp: '2 replies, 4 parts',
    text_editor_code_execution: '8 replies, 126 parts',
    tool_search: '4 replies, 4 parts',
    tool_search_tool_bm25: '3 replies, 5 parts',
    tool_search_tool_regex: '3 replies, 5 parts',
    web_fetch: '6 replies, 12 parts',
    web_search: '2 replies, 6 parts',
  },
  azure: {
    citations: '6 replies, 6 parts',
    code_interpreter: '2 replies, 2 parts',
    file_search: '4 replies, 4 parts',
    image_generation: '2 replies, 2 parts',
    web_search: '2 replies, 3 parts',
  },
  'openai-responses': {
    apply_patch: '3 replies, 3 parts',
    citations: '8 replies, 8 parts',
    code_interpreter: '2 replies, 6 parts',
    compaction: '2 replies, 2 parts',
    custom_tool: '2 replies, 2 parts',
    file_search: '4 replies, 4 parts',
    image_generation: '2 replies, 2 parts',
    local_shell: '2 replies, 2 parts',
    mcp: '4 replies, 5 parts',
    mcp_approval_request: '4 replies, 4 parts',
    mcp_list_tools: '10 replies, 10 parts',
    program: '4 replies, 4 parts',
    shell: '6 replies, 14 parts',
    tool_search: '4 replies, 6 parts',
    web_search: '2 replies, 9 parts',
  },
  'xai-responses': {
    citations: '4 replies, 4 parts',
    code_interpreter: '1 replies, 1 parts',
    custom_tool: '1 replies, 2 parts',
    file_search: '1 replies, 1 parts',
    image_generation: '2 replies, 2 parts',
    web_search: '3 replies, 6 parts',
    x_search: '1 replies, 1 parts',
  },
};

test('the recorded replies hold parts of these tools', REPLIES.options, () => {
  verifies('providers.replies.opaque');
  expect(tableOf(withParts)).toEqual(TABLE);
});

if (withParts.length > 0) sendBack();

function sendBack(): void {
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer({ strict: false });
  });
  afterAll(() => server.close());

  test.each(withParts)('parts of the vendor go back byte for byte, in their order: $path', async (file) => {
    verifies('providers.replies.opaque');
    const { message } = await read(server, file);
    const body = await sentBody(server, file.wire, message);
    expect(sentParts(file.wire, body)).toEqual(receivedParts(file.wire, valuesOf(file)));
  });
}

function tableOf(recorded: readonly RecordedFile[]): Record<string, Record<string, string>> {
  const counts = new Map<string, Map<string, { replies: number; parts: number }>>();
  for (const file of recorded) {
    const vendor = file.path.split('/')[0] ?? '';
    const tools = counts.get(vendor) ?? new Map<string, { replies: number; parts: number }>();
    counts.set(vendor, tools);
    const parts = receivedParts(file.wire, valuesOf(file));
    for (const name of new Set(parts.map(({ tool }) => tool))) {
      const { replies, parts: known } = tools.get(name) ?? { replies: 0, parts: 0 };
      tools.set(name, { replies: replies + 1, parts: known + parts.filter(({ tool }) => tool === name).length });
    }
  }
  return Object.fromEntries(
    [...counts].map(([vendor, tools]) => [
      vendor,
      Object.fromEntries([...tools].map(([name, { parts, replies }]) => [name, `${replies} replies, ${parts} parts`])),
    ]),
  );
}

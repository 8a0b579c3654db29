// A small MCP server without a library: one JSON-RPC message per line.
import { createInterface } from 'node:readline';

interface Incoming {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: { readonly title?: string; readonly note?: string };
  };
}

const notes = new Map<string, string>();
const text = { type: 'string' };
const tools = [
  {
    name: 'save',
    description: 'Saves a note under a title.',
    inputSchema: { type: 'object', properties: { title: text, note: text }, required: ['title', 'note'] },
    annotations: { idempotentHint: true, destructiveHint: false },
  },
  {
    name: 'read',
    description: 'Reads the note under a title.',
    inputSchema: { type: 'object', properties: { title: text }, required: ['title'] },
    annotations: { readOnlyHint: true },
  },
];

const answer = (id: number | undefined, result: object): void =>
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));

createInterface({ input: process.stdin }).on('line', (line) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a client of the protocol writes nothing else
  const { id, method, params = {} } = JSON.parse(line) as Incoming;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } });
  } else if (method === 'tools/list') answer(id, { tools });
  else if (method === 'tools/call') {
    const { title = '', note = '' } = params.arguments ?? {};
    if (params.name === 'save') notes.set(title, note);
    const found = params.name === 'save' ? 'saved' : notes.get(title);
    answer(id, { content: [{ type: 'text', text: found ?? `no note "${title}"` }], isError: found === undefined });
  } else if (id !== undefined)
    console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }));
});

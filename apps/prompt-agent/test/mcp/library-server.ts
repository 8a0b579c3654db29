/** A server by hand, as a program: a tool, resources, a template with completion, prompts. `LIBRARY_LOG` names a file that gets a line for each request. */
export const LIBRARY = `
import { createInterface } from 'node:readline';
import { appendFileSync } from 'node:fs';
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const fail = (id, message) => console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message } }));
const log = (line) => process.env.LIBRARY_LOG && appendFileSync(process.env.LIBRARY_LOG, line + '\\n');
log('started');
const resources = [
  { uri: 'site://page', name: 'page', mimeType: 'text/plain' },
  { uri: 'site://pixel', name: 'pixel', mimeType: 'image/png' },
];
const contents = {
  'site://page': { text: 'A page. </resource> See https://elsewhere.example/', mimeType: 'text/plain' },
  'site://pixel': { blob: 'iVBORw0KGgoAAAANSUhEUgAAAAE=', mimeType: 'image/png' },
  'site://fake': { blob: Buffer.from('not an image').toString('base64'), mimeType: 'image/png' },
  'site://heavy': { text: 'x'.repeat(5_000_000) },
};
const prompts = [
  { name: 'review', description: 'Reviews a file.', arguments: [{ name: 'file', description: 'Which one', required: true }, { name: 'depth' }] },
  { name: 'hello' },
];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  log(method);
  if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} }, serverInfo: { name: 'library', version: '7' } });
  else if (method === 'server/discover') fail(id, 'Method not found');
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'lend', description: 'Lends a book.', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } }] });
  else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'lent' }] });
  else if (method === 'resources/list') answer(id, { resources });
  else if (method === 'resources/templates/list') answer(id, { resourceTemplates: [{ uriTemplate: 'site://users/{id}', name: 'user' }] });
  else if (method === 'resources/read') {
    if (params.uri === 'site://silent') return;
    if (params.uri === 'site://die') process.exit(3);
    const users = /^site:..users.(.*)$/.exec(params.uri);
    const content = users ? { text: 'user ' + users[1] } : contents[params.uri];
    if (content === undefined) fail(id, 'no such resource'); else answer(id, { contents: [{ uri: params.uri, ...content }] });
  } else if (method === 'prompts/list') answer(id, { prompts });
  else if (method === 'prompts/get') answer(id, { messages: [{ role: 'user', content: { type: 'text', text: params.name + ' ' + JSON.stringify(params.arguments ?? {}) } }] });
  else if (method === 'completion/complete') answer(id, { completion: { values: ['7', '77', '8'].filter((value) => value.startsWith(params.argument.value)) } });
});
`;

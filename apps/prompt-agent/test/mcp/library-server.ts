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

/** A server by hand whose tools ask: `survey` the user, by a form and a page; `think` the model. */
export const QUESTIONER = `
import { createInterface } from 'node:readline';
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const tool = (name) => ({ name, description: 'Does ' + name + '.', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } });
const waiting = new Map();
let next = 1;
const ask = (method, params) => new Promise((resolve) => { const id = 'q' + next++; waiting.set(id, resolve); send({ id, method, params }); });
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(error ?? result);
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'q', version: '1' } } });
  else if (method === 'server/discover') send({ id, error: { code: -32601, message: 'no' } });
  else if (method === 'tools/list') send({ id, result: { tools: [tool('survey'), tool('think')] } });
  else if (method === 'tools/call') {
    const requestedSchema = { type: 'object', properties: { age: { type: 'integer', title: 'Your age' }, note: { type: 'string' } }, required: ['age'] };
    const answers = params.name === 'survey'
      ? [await ask('elicitation/create', { message: 'How old?', requestedSchema })]
      : [await ask('sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: 'Write a poem.' } }], maxTokens: 50 })];
    send({ id, result: { content: [{ type: 'text', text: JSON.stringify(answers) }] } });
  }
});
`;

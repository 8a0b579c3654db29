// The mock model server, in a process of its own. The path says what it answers; every contender gets the same bytes.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { chunkOf, eventsOf, jsonOf, sse, STREAM_END } from './replies.js';

let replies = 0;
const chunk = (delta, finish) => chunkOf(`chatcmpl-${replies}`, delta, finish);

function textStream(count) {
  const parts = [sse(chunk({ role: 'assistant', content: '' }))];
  for (let at = 0; at < count; at += 1) parts.push(sse(chunk({ content: `word ${at} ` })));
  return [...parts, sse(chunk({}, 'stop')) + STREAM_END];
}

function argumentStream(bytes, size) {
  const text = JSON.stringify({ text: 'x'.repeat(bytes - 11) });
  const call = (more) => chunk({ tool_calls: [{ index: 0, ...more }] });
  const begin = { id: 'call_1', type: 'function', function: { name: 'write', arguments: '' } };
  const parts = [sse(chunk({ role: 'assistant', content: null })), sse(call(begin))];
  for (let at = 0; at < text.length; at += size)
    parts.push(sse(call({ function: { arguments: text.slice(at, at + size) } })));
  return [...parts, sse(chunk({}, 'tool_calls')) + STREAM_END];
}

const made = new Map();
function cached(key, make) {
  if (!made.has(key)) made.set(key, make());
  return made.get(key);
}

async function write(response, parts) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const part of parts) if (!response.write(part)) await new Promise((resolve) => response.once('drain', resolve));
  response.end();
}

/** What tools of eight fields get besides. */
const LARGER = { c: 'up', d: ['title', 'date'], e: '2026-01-01', f: true, g: 3, h: ['Ada', 'Grace'] };

/** The reply to a turn of a loop: a call of `tool_<n>` until there are enough results, then an answer. */
function turn(response, body, { turns, parallel, isLarger, streamed }) {
  const done = body.split('"role":"tool"').length - 1;
  if (done >= turns * parallel) return reply(response, { content: `answer after ${done}` }, 'stop', streamed);
  const tool_calls = Array.from({ length: parallel }, (_, at) => ({
    id: `call_${done + at}`,
    type: 'function',
    function: {
      name: `tool_${(done + at) % 20}`,
      arguments: JSON.stringify({ a: `value ${done + at}`, b: done + at, ...(isLarger && LARGER) }),
    },
  }));
  return reply(response, { content: null, tool_calls }, 'tool_calls', streamed);
}

function reply(response, message, finish, streamed) {
  // Graphs of messages take two with one id for the same message.
  replies += 1;
  const id = `chatcmpl-${replies}`;
  if (!streamed) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(jsonOf(id, message, finish));
    return;
  }
  void write(response, eventsOf(id, message, finish));
}

const closedAt = new Map();
const bomb = () => {
  // 256 MiB of one comment line after another, as gzip.
  const block = gzipSync(Buffer.alloc(16 * 1024 * 1024, `: ${'x'.repeat(1021)}\n`));
  return Buffer.concat(Array.from({ length: 16 }, () => block));
};

const server = createServer((request, response) => {
  const body = [];
  request.on('data', (bytes) => body.push(bytes));
  request.on('end', () => {
    const [, kind, ...rest] = request.url.replace('/chat/completions', '').split('/');
    const [a, b] = rest.map(Number);
    const text = Buffer.concat(body).toString();
    if (kind === 'text')
      return void write(
        response,
        cached(`t${a}`, () => textStream(a)),
      );
    // Within a loop, the result of the call is answered.
    if (kind === 'args' && text.includes('"role":"tool"')) return void write(response, textStream(3));
    if (kind === 'args')
      return void write(
        response,
        cached(`a${a} ${b}`, () => argumentStream(a, b)),
      );
    if (kind === 'loop') {
      const streamed = text.includes('"stream":true');
      return turn(response, text, { turns: a, parallel: b || 1, isLarger: rest[2] === 'larger', streamed });
    }
    if (kind === 'slow') {
      const id = JSON.parse(text).model;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // The client of OpenAI shows no text before it knows the role.
      response.write(sse(chunk({ role: 'assistant', content: 'a' })));
      const timer = setInterval(() => response.write(sse(chunk({ content: 'a' }))), 20);
      request.socket.on('close', () => {
        clearInterval(timer);
        closedAt.set(id, String(process.hrtime.bigint()));
      });
      return undefined;
    }
    // Requests that stay open: without an answer, or in the middle of one.
    if (kind === 'silent') return undefined;
    if (kind === 'half') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write(textStream(a).slice(0, -1).join(''));
    }
    if (kind === 'closed') return response.end(closedAt.get(rest[0]) ?? '');
    if (kind === 'bomb') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      return response.end(cached('bomb', bomb));
    }
    response.writeHead(404);
    return response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit(0));

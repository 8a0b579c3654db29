import { request } from 'node:http';
import type { McpAppPage, McpApps, McpAppTools } from '@kernel/mcp';
import { type AgentEvent, type Approve, KernelError, type Tool, type ToolCall, toolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createAppHost } from '../src/serve/apps/app-host.ts';
import { startAppListener } from '../src/serve/apps/app-listener.ts';
import { answerAppRequest } from '../src/serve/apps/app-routes.ts';

const PAGE: McpAppPage = {
  html: '<p>ü',
  policy: "default-src 'none'",
  hosts: [],
  permissions: [],
  prefersBorder: true,
};
const signal = new AbortController().signal;

function tool(name: string, effect?: Tool['effect']): Tool {
  return { name, description: '', parameters: { type: 'object' }, ...(effect === undefined ? {} : { effect }) };
}

/** A server with an app and three tools; one is not for apps. */
function fakeApps(ran: ToolCall[], work?: Promise<void>): McpApps {
  const list = [tool('s_look', 'read'), tool('s_wipe')];
  const tools: McpAppTools = {
    list: () => list,
    nameOf: (name) => ['look', 'wipe'].map((each) => `s_${each}`).find((each) => each === `s_${name}`),
    prepare: (call) => ({
      tool: list.find(({ name }) => name === call.name) ?? tool(call.name),
      arguments: call.arguments,
      async run() {
        ran.push(call);
        await work;
        return { forLLM: `ran ${call.name}`, data: { at: 1 } };
      },
    }),
  };
  return {
    find: (name) => (name === 's_look' ? { server: 's', tool: 'look', uri: 'ui://s/view' } : undefined),
    read: async () => PAGE,
    tools: () => tools,
  };
}

async function openHost(options: { readonly approve?: Approve; readonly work?: Promise<void> } = {}) {
  const listener = await startAppListener(['http://127.0.0.1:1']);
  onTestFinished(() => listener.close());
  const ran: ToolCall[] = [];
  const asked: string[] = [];
  const approve: Approve = (about) => {
    asked.push(about.call.name);
    return options.approve?.(about) ?? { decision: 'later' };
  };
  const host = createAppHost({ apps: fakeApps(ran, options.work), guard: (tools) => tools, approve, listener });
  const call: ToolCall = { type: 'tool-call', id: 'c1', name: 's_look', arguments: '{"city":"Rome"}' };
  async function* events(): AsyncGenerator<AgentEvent> {
    yield { type: 'tool-end', call, result: toolResult('fine'), durationMs: 1 };
    yield { type: 'tool-end', call: { ...call, id: 'c2', name: 's_wipe' }, result: toolResult('fine'), durationMs: 1 };
  }
  for await (const event of host.note('chat', events())) void event;
  const app = await host.open('chat', 'c1', signal);
  if (app === undefined) throw new Error('there is no app');
  return { app, asked, host, listener, ran };
}

/** Asks the listener as a browser would, under any host name. */
function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ readonly status: number | undefined; readonly headers: object; readonly body: string }>(
    (resolve, reject) => {
      request(url, { method, headers }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      })
        .on('error', reject)
        .end();
    },
  );
}

test('a call has its app with what it got and gave, in the chat that it belongs to', async () => {
  verifies('cli.serve.apps');
  const { app, host } = await openHost();
  expect(app).toMatchObject({ server: 's', tool: { name: 'look' }, input: { city: 'Rome' } });
  expect(app.result).toEqual({ content: [{ type: 'text', text: 'fine' }] });
  expect(await host.open('other', 'c1', signal)).toBeUndefined();
  expect(await host.open('chat', 'c2', signal)).toBeUndefined();
});

test('what only reads runs at once, and what may change something once it was allowed, as it was asked about', async () => {
  verifies('cli.serve.apps');
  const { app, asked, host, ran } = await openHost();
  expect(await host.call(app.id, 'look', {}, signal)).toEqual({
    result: { content: [{ type: 'text', text: 'ran s_look' }], structuredContent: { at: 1 } },
  });
  expect(asked).toEqual([]);
  const answer = await host.call(app.id, 'wipe', { city: 'Rome' }, signal);
  if (!('question' in answer)) throw new Error('it was not asked about');
  expect(answer.question).toMatchObject({ name: 's_wipe', arguments: '{"city":"Rome"}' });
  expect(ran).toHaveLength(1);
  expect(await host.call(app.id, 'wipe', {}, signal)).toEqual({ refused: 'A call of this app waits for the user.' });
  expect(await host.decide(app.id, 'another', true, signal)).toHaveProperty('refused');
  expect(await host.decide(app.id, answer.question.id, true, signal)).toHaveProperty('result');
  expect(ran.at(-1)).toMatchObject({ name: 's_wipe', arguments: '{"city":"Rome"}' });
  expect(await host.decide(app.id, answer.question.id, true, signal)).toHaveProperty('refused');
  expect(ran).toHaveLength(2);
});

test('a call that is denied, by a rule or the user, does not run, and no tool runs that is not for apps', async () => {
  verifies('cli.serve.apps');
  const denied = await openHost({ approve: () => ({ decision: 'deny', reason: 'no' }) });
  expect(await denied.host.call(denied.app.id, 'wipe', {}, signal)).toMatchObject({ result: { isError: true } });
  const { app, host, ran } = await openHost();
  const answer = await host.call(app.id, 'wipe', {}, signal);
  if (!('question' in answer)) throw new Error('it was not asked about');
  expect(await host.decide(app.id, answer.question.id, false, signal)).toEqual({ refused: 'The user said no.' });
  for (const name of ['delete', 's_wipe', '__proto__', ''])
    expect(await host.call(app.id, name, {}, signal)).toEqual({ refused: `The server shows apps no tool "${name}".` });
  expect(await host.call('unknown', 'look', {}, signal)).toHaveProperty('refused');
  expect([...ran, ...denied.ran]).toEqual([]);
});

test('an app runs four calls at once and no more', async () => {
  verifies('cli.serve.apps.hostile');
  const { promise: work, resolve } = Promise.withResolvers<void>();
  const { app, host, ran } = await openHost({ work });
  const calls = Array.from({ length: 10 }, () => host.call(app.id, 'look', {}, signal));
  resolve();
  const answers = await Promise.all(calls);
  expect(answers.filter((answer) => 'refused' in answer)).toHaveLength(6);
  expect(ran).toHaveLength(4);
});

test('of several calls at once that may change something, one is asked about', async () => {
  verifies('cli.serve.apps.hostile');
  const { app, host, ran } = await openHost();
  const answers = await Promise.all([1, 2, 3].map((at) => host.call(app.id, 'wipe', { at }, signal)));
  const questions = answers.flatMap((answer) => ('question' in answer ? [answer.question] : []));
  expect(questions).toHaveLength(1);
  await host.decide(app.id, questions[0]?.id ?? '', true, signal);
  expect(ran.map((call) => call.arguments)).toEqual([questions[0]?.arguments]);
});

test('a page is given out once, with its policy, under the name of the listener, and to nobody who guesses', async () => {
  verifies('cli.serve.apps.hostile');
  const { app, listener } = await openHost();
  expect(new URL(app.url).hostname).toBe('localhost');
  const { host } = new URL(app.url);
  expect((await get(app.url, { host: 'evil.example' })).status).toBe(404);
  expect((await get(app.url, { host: host.replace('localhost', '127.0.0.1') })).status).toBe(404);
  expect((await get(app.url, {}, 'POST')).status).toBe(404);
  expect((await get(`${listener.origin}/`)).status).toBe(404);
  const page = await get(app.url);
  expect(page).toMatchObject({ status: 200, body: '<p>ü' });
  expect(page.headers).toMatchObject({
    'content-security-policy': "default-src 'none'; frame-ancestors http://127.0.0.1:1",
    'referrer-policy': 'no-referrer',
  });
  expect((await get(app.url)).status).toBe(404);
  const urls = Array.from({ length: 100 }, () => listener.add(PAGE));
  expect((await get(urls[0] ?? '')).status).toBe(404);
  expect((await get(urls.at(-1) ?? '')).status).toBe(200);
});

test('requests that are not about an app, and bodies that are none, have no answer', async () => {
  verifies('cli.serve.apps');
  const { app, host } = await openHost();
  const describe = async (name: string) => [{ text: name }];
  const ask = (path: string, body: unknown) => answerAppRequest(host, { path, body, signal }, describe);
  for (const [path, body] of [
    ['', {}],
    ['', null],
    ['', { chat: 1, callId: 'c1' }],
    [`/${app.id}/calls`, {}],
    [`/${app.id}/decisions`, 'x'],
    [`/${app.id}/other`, { name: 'look' }],
    ['/../calls', { name: 'look' }],
  ] as const)
    expect(await ask(path, body)).toBeUndefined();
  expect(await ask(`/${app.id}/calls`, { name: 'look' })).toHaveProperty('result');
  const asked = await ask(`/${app.id}/calls`, { name: 'wipe' });
  expect(asked).toMatchObject({ question: { lines: [{ text: 's_wipe' }] } });
});

test('a page that cannot be read says so', async () => {
  verifies('cli.serve.apps.hostile');
  const error = new KernelError('TOOL_FAILED', 'too long');
  const listener = await startAppListener([]);
  onTestFinished(() => listener.close());
  const broken = createAppHost({
    apps: { ...fakeApps([]), read: () => Promise.reject(error) },
    guard: (tools) => tools,
    approve: () => ({ decision: 'later' }),
    listener,
  });
  const call: ToolCall = { type: 'tool-call', id: 'c1', name: 's_look', arguments: 'no json' };
  async function* events(): AsyncGenerator<AgentEvent> {
    yield { type: 'tool-end', call, result: toolResult('fine'), durationMs: 1 };
  }
  for await (const event of broken.note('chat', events())) void event;
  await expect(broken.open('chat', 'c1', signal)).rejects.toBe(error);
});

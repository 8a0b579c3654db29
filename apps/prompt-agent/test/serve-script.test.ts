import { Script, createContext } from 'node:vm';
import { verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { NOT_ISOLATED, showCall } from '../src/questions/show-call.ts';
import { SCRIPT } from '../src/serve/page-script.ts';

/** As much of an element as the script of the page uses. */
interface Element {
  readonly name: string;
  className: string;
  hidden: boolean;
  open: boolean;
  value: string;
  textContent: string;
  readonly dataset: Record<string, string>;
  append(...children: readonly Child[]): void;
  replaceChildren(...children: readonly Child[]): void;
  addEventListener(type: string, listener: (event: object) => void): void;
  dispatch(type: string, event?: object): void;
  scrollIntoView(): void;
  requestSubmit(): void;
  all(): readonly Element[];
  querySelector(selector: string): Element | undefined;
}
type Child = Element | string;

function createElement(name: string): Element {
  const listeners = new Map<string, (event: object) => void>();
  let children: Child[] = [];
  const own: Element = {
    name,
    className: '',
    hidden: false,
    open: false,
    value: '',
    dataset: {},
    get textContent() {
      return children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('');
    },
    set textContent(text: string) {
      children = [text];
    },
    append: (...more) => void children.push(...more),
    replaceChildren: (...more) => void (children = [...more]),
    addEventListener: (type, listener) => void listeners.set(type, listener),
    dispatch: (type, event = {}) => listeners.get(type)?.({ preventDefault: () => undefined, ...event }),
    scrollIntoView: () => undefined,
    requestSubmit: () => own.dispatch('submit'),
    all: () => children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...child.all()])),
    querySelector: (selector) => own.all().find((each) => each.className.split(' ').includes(selector.slice(1))),
  };
  return own;
}

const SETTING = { folder: '/srv', timeoutMs: 120_000, isolation: null };

/** The page, with a server that answers each run with these events. */
function page(runs: readonly (readonly object[])[]) {
  const ids = new Map(['log', 'text', 'form', 'send', 'stop', 'status'].map((id) => [id, createElement(id)]));
  const sent: { readonly path: string; readonly body: string }[] = [];
  const focused: string[] = [];
  const waiting = runs
    .flat()
    .flatMap((event) => ('pending' in event ? (event.pending as ReturnType<typeof pending>[]) : []));
  const left = [...runs];
  const fetchPage = async (path: string, init: RequestInit): Promise<Response> => {
    if (path.endsWith('/calls')) {
      const { digest } = JSON.parse(init.body as string) as { digest: string };
      const call = waiting.find((each) => each.digest === digest);
      const shown = call === undefined ? [] : showCall(call.name, call.arguments, SETTING);
      return Response.json({ lines: shown.map((text) => ({ text, isWarning: text === NOT_ISOLATED })) });
    }
    sent.push({ path, body: typeof init.body === 'string' ? init.body : '' });
    const frames = (left.shift() ?? []).map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    return new Response(frames);
  };
  const document = {
    querySelector: (selector: string) => ids.get(selector.slice(1)),
    createElement: (name: string) => Object.assign(createElement(name), { focus: () => focused.push(name) }),
  };
  const context = createContext({
    document,
    location: { hash: '#secret' },
    crypto: { randomUUID: () => 'id' },
    fetch: fetchPage,
    AbortController,
    TextDecoderStream,
    JSON,
    console,
  });
  new Script(`'use strict'; ${SCRIPT}`).runInContext(context);
  const element = (id: string): Element => ids.get(id) ?? createElement(id);
  return {
    sent,
    focused,
    element,
    press: (key: string) => element('text').dispatch('keydown', { key }),
    say(text: string) {
      element('text').value = text;
      element('form').requestSubmit();
    },
    buttons: () =>
      element('log')
        .all()
        .filter(({ name }) => name === 'button'),
    /** Waits until a question has its buttons. */
    async asked(count = 2) {
      await vi.waitFor(() => expect(this.buttons()).toHaveLength(count), 30_000);
    },
  };
}

const pending = (callId: string, args: object, name = 'run_command') => ({
  callId,
  name,
  path: [],
  digest: `digest ${callId}`,
  arguments: JSON.stringify(args),
});
const asks = (...calls: readonly object[]) => [{ type: 'run-end', reason: 'approval', pending: calls }];
const done = [{ type: 'run-end', reason: 'done' }];

test('a question on the page takes neither the focus nor a key: what was typed stays, and Enter sends nothing', async () => {
  verifies('cli.questions.enter');
  const shown = page([asks(pending('c1', { command: ['rm', '-rf', 'a b'] })), done]);
  shown.say('clean up');
  await shown.asked();
  expect(shown.focused).toEqual([]);
  shown.element('text').value = 'and then';
  shown.press('Enter');
  shown.press(' ');
  expect(shown.element('text').value).toBe('and then');
  expect(shown.sent).toHaveLength(1);
  expect(shown.element('status').textContent).toBe('a question waits for Allow or Deny');
  expect(shown.buttons().map(({ textContent }) => textContent)).toEqual(['Allow', 'Deny']);
  shown.buttons()[0]?.dispatch('click');
  await vi.waitFor(() => expect(shown.sent).toHaveLength(2), 30_000);
  expect(JSON.parse(shown.sent[1]?.body ?? '')).toEqual({
    callId: 'c1',
    path: [],
    digest: 'digest c1',
    decision: 'allow',
  });
  // The question is answered: now Enter sends.
  await vi.waitFor(() => expect(shown.element('send').hidden).toBe(false), 30_000);
  shown.press('Enter');
  expect(shown.sent[2]).toMatchObject({ body: 'and then' });
});

test('the page shows a call in the lines of the terminal, with what is not isolated marked', async () => {
  verifies('cli.questions.command');
  const command = { command: ['echo', '\u202ea b'], cwd: 'sub' };
  const mail = { to: '<img src=x>', text: 'one\u0007\ntwo' };
  const shown = page([asks(pending('c1', command), pending('c2', mail, 'send'))]);
  shown.say('hi');
  await shown.asked(4);
  const lines = shown
    .element('log')
    .all()
    .filter(({ className }) => className.startsWith('line'));
  expect(lines.map(({ textContent }) => textContent)).toEqual([
    ...showCall('run_command', JSON.stringify(command), SETTING),
    ...showCall('send', JSON.stringify(mail), SETTING),
  ]);
  expect(lines.filter(({ className }) => className.includes('warning')).map(({ textContent }) => textContent)).toEqual([
    NOT_ISOLATED,
  ]);
});

test('a call that still waits after the decision on another one is asked about once', async () => {
  verifies('cli.questions.enter');
  const both = [pending('c1', { command: ['a'] }), pending('c2', { command: ['b'] })];
  const shown = page([asks(...both), asks(...both.slice(1)), done]);
  shown.say('hi');
  await shown.asked(4);
  shown.buttons()[1]?.dispatch('click');
  // Until the server has answered, no second decision is sent.
  shown.buttons()[0]?.dispatch('click');
  await shown.asked(2);
  expect(shown.sent.map(({ body }) => body).slice(1)).toHaveLength(1);
  expect(JSON.parse(shown.sent[1]?.body ?? '')).toMatchObject({ callId: 'c1', decision: 'deny' });
});

test('control and direction characters of calls and results show on the page', async () => {
  verifies('cli.questions.command');
  const call = { callId: 'c1', name: 'read_file', arguments: '{"path":"a\u202eb"}' };
  const shown = page([
    [
      { type: 'message-end', finishReason: 'tool-calls', calls: [call] },
      { type: 'tool-end', callId: 'c1', name: 'read_file', status: 'done', durationMs: 1, result: { text: '\u001bx' } },
      ...done,
    ],
  ]);
  shown.say('hi');
  await vi.waitFor(() => expect(shown.element('log').textContent).toContain('\\x1bx'), 30_000);
  expect(shown.element('log').textContent).toContain('a\\u202eb');
});

test('what an MCP server asks is a form that takes no focus, and what is filled in is sent by a button alone', async () => {
  verifies('cli.mcp.page', 'cli.questions.enter');
  const fields = [{ name: 'age', about: 'Your <b>age</b>', hint: 'empty: leave out' }];
  const lines = ['MCP server "shop" asks: How old?'];
  const asked = { type: 'server-question', id: 'q1', lines, fields, yes: 'Send', url: 'https://shop.example/pay' };
  const shown = page([[asked], [{ type: 'server-question-end', id: 'q1' }]]);
  shown.say('hi');
  await shown.asked(2);
  const elements = shown.element('log').all();
  expect(elements.find(({ className }) => className === 'line')?.textContent).toBe(lines[0]);
  const link = elements.find(({ name }) => name === 'a') as Element & { href: string; rel: string };
  expect([link.href, link.rel]).toEqual(['https://shop.example/pay', 'noopener noreferrer']);
  const input = elements.find(({ name }) => name === 'input');
  if (input !== undefined) input.value = '36';
  expect(shown.focused).toEqual([]);
  expect(shown.sent).toHaveLength(1);
  expect(shown.buttons().map(({ textContent }) => textContent)).toEqual(['Send', 'No']);
  shown.buttons()[0]?.dispatch('click');
  await vi.waitFor(() => expect(shown.sent).toHaveLength(2), 30_000);
  expect(shown.sent[1]).toEqual({
    path: '/answers',
    body: JSON.stringify({ id: 'q1', accept: true, values: { age: '36' } }),
  });
});

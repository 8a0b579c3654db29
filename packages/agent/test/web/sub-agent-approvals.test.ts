import { runHttpRequest, transformHttpEventStream, verifyEvents } from '@ag-ui/client';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { describe, expect, test } from 'vitest';
import type { AgentEvent, Approve, Message } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { createMemorySession, runSession } from '../../src/index.ts';
import {
  type AgUiEvent,
  type AgUiInterrupt,
  type ClientEvent,
  clientEvents,
  type ClientField,
  decisionsFrom,
  decisionsFromAgUi,
  decisionsFromUiMessages,
  toAgUi,
  toUiMessageStream,
} from '../../src/web/index.ts';
import { user } from '../support.ts';
import { agent, listOf } from './runs.ts';

/** A conversation whose agent looks, and removes something two times, each of which waits for a decision. */
function conversation(): (approve: Approve) => AsyncGenerator<AgentEvent> {
  const session = createMemorySession();
  const provider = scriptedProvider([
    { calls: [{ name: 'research', id: 'r1', arguments: { task: 't' } }] },
    { text: 'ok' },
  ]);
  const tools = agent([
    {
      calls: [
        { name: 'look', id: 'i0' },
        { name: 'remove', id: 'i1' },
      ],
    },
    { calls: [{ name: 'remove', id: 'i2', arguments: { again: true } }] },
    { text: 'inner' },
  ]);
  let isNew = true;
  return (approve) => {
    const messages = isNew ? [user('Go')] : [];
    isNew = false;
    const decide: Approve = (request) => (request.path.length > 0 ? approve(request) : { decision: 'allow' });
    return runSession({ session, provider, model: 'm', tools, messages, approve: decide });
  };
}

const SHOWN: [string, readonly ClientField[]][] = [
  ['nothing', []],
  ['sub-agents', ['arguments', 'results', 'sub-agents']],
];

describe.each(SHOWN)('an approved call of a sub-agent, showing %s', (_, show) => {
  async function goOn(run: ReturnType<typeof conversation>, message?: UIMessage): Promise<UIMessage> {
    const errors: unknown[] = [];
    let last = message;
    const stream = toUiMessageStream(run(decisionsFromUiMessages([message])), {
      show,
    }) as ReadableStream<UIMessageChunk>;
    for await (const state of readUIMessageStream({
      stream,
      onError: (error) => errors.push(error),
      ...(message && { message }),
    }))
      last = state;
    expect(errors).toEqual([]);
    return last as UIMessage;
  }
  const isSentByItself = (message: UIMessage): boolean =>
    lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [message] });
  const respond = (message: UIMessage, approved: boolean): UIMessage => ({
    ...message,
    parts: message.parts.map((part) =>
      'state' in part && part.state === 'approval-requested'
        ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved } }
        : part,
    ),
  });
  const statesOf = ({ parts }: UIMessage): string[] =>
    parts.flatMap((part) => ('toolCallId' in part ? [`${part.toolCallId} ${part.state}`] : []));

  test('ends at the client of useChat, which then sends nothing by itself', async () => {
    verifies('web.approvals.subAgents');
    const run = conversation();
    const asked = await goOn(run);
    expect(statesOf(asked)).toEqual(['r1 approval-responded', '["r1","i1"] approval-requested']);
    const first = respond(asked, true);
    expect(isSentByItself(first)).toBe(true);
    const again = await goOn(run, first);
    expect(statesOf(again)).toEqual([
      'r1 approval-responded',
      '["r1","i1"] output-available',
      '["r1","i2"] approval-requested',
    ]);
    const last = await goOn(run, respond(again, false));
    expect(statesOf(last)).toEqual([
      'r1 output-available',
      '["r1","i1"] output-available',
      '["r1","i2"] output-denied',
    ]);
    expect(last.parts.at(-1)).toMatchObject({ type: 'text', text: 'ok' });
    expect(isSentByItself(last)).toBe(false);
  });

  test('is one call with one id for a client of AG-UI', async () => {
    verifies('web.approvals.subAgents', 'web.agUi');
    const run = conversation();
    let interrupts: readonly AgUiInterrupt[] = [];
    const requests: string[][] = [];
    for (const approved of [undefined, true, false]) {
      const resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved } }));
      const events = await listOf(toAgUi(run(decisionsFromAgUi(resume)), { show }));
      await verify(events);
      const calls = events.flatMap((event) => ('toolCallId' in event ? [event] : []));
      requests.push(
        calls.filter(({ toolCallId }) => /i[12]/.test(toolCallId)).map((each) => `${each.type} ${each.toolCallId}`),
      );
      const end = events.at(-1);
      interrupts = end?.type === 'RUN_FINISHED' && end.outcome.type === 'interrupt' ? end.outcome.interrupts : [];
    }
    const [i1, i2] = ['["r1","i1"]', '["r1","i2"]'];
    const known = (id: string | undefined) => [`TOOL_CALL_START ${id}`, `TOOL_CALL_END ${id}`];
    const withArguments = (id: string | undefined) =>
      known(id).toSpliced(1, 0, ...(show.length > 0 ? [`TOOL_CALL_ARGS ${id}`] : []));
    expect(requests).toEqual([
      withArguments(i1),
      [...withArguments(i1), `TOOL_CALL_RESULT ${i1}`, ...withArguments(i2)],
      [...withArguments(i2), `TOOL_CALL_RESULT ${i2}`],
    ]);
  });

  test('has its end among the events for clients, and nothing else of an agent that is not shown', async () => {
    verifies('web.approvals.subAgents', 'web.view');
    const run = conversation();
    const [end] = (await listOf(clientEvents(run(decisionsFrom([])), { show }))).slice(-1);
    const [call] = end?.type === 'run-end' ? (end.pending ?? []) : [];
    const answer = { callId: call?.callId, path: call?.path, digest: call?.digest, decision: 'allow' };
    const events = await listOf(clientEvents(run(decisionsFrom(answer)), { show }));
    const decided = events.filter(({ type }) => type === 'decided-call-end');
    expect(decided).toEqual([
      {
        type: 'decided-call-end',
        path: ['r1'],
        callId: 'i1',
        name: 'remove',
        status: 'done',
        ...(show.length > 0 && { arguments: '{}', result: { text: 'removed' } }),
      },
    ]);
    expect(/look|i0/.test(JSON.stringify(events))).toBe(show.length > 0);
  });
});

test.each(SHOWN)(
  'a call of a sub-agent that was allowed while another one waited has its end at the client, showing %s',
  async (_, show) => {
    verifies('web.approvals.subAgents');
    const session = createMemorySession();
    const options = {
      session,
      provider: scriptedProvider([
        { calls: [{ name: 'research', id: 'r1', arguments: { task: 't' } }] },
        { text: 'ok' },
      ]),
      model: 'm',
      tools: agent([{ calls: ['i0', 'i1', 'i2'].map((id) => ({ name: 'remove', id })) }, { text: 'inner' }]),
    };
    const read = (messages: readonly Message[], allowed: readonly string[]) => {
      const approve: Approve = ({ call, path }) => ({
        decision: path.length === 0 || allowed.includes(call.id) ? 'allow' : 'later',
      });
      return listOf(clientEvents(runSession({ ...options, messages, approve }), { show }));
    };
    const endsIn = (events: readonly ClientEvent[]): readonly unknown[] =>
      events.flatMap((event) => (event.type === 'decided-call-end' ? [`${event.callId} ${event.status}`] : []));
    // The server allows the first one itself: the client is never asked about it.
    expect(endsIn(await read([user('Go')], ['i0']))).toEqual([]);
    expect(endsIn(await read([], ['i1']))).toEqual([]);
    expect(endsIn(await read([], ['i2']))).toEqual(['i1 done', 'i2 done']);
  },
);

test('a call of a sub-agent that the server itself allowed is in no event where sub-agents are not shown', async () => {
  const run = conversation();
  const events = await listOf(clientEvents(run(() => ({ decision: 'allow' }))));
  expect(events.at(-1)).toMatchObject({ type: 'run-end', reason: 'done' });
  expect(JSON.stringify(events)).not.toMatch(/remove|look/);
});

/** Rejects with what the state machine of AG-UI refuses. */
async function verify(events: readonly AgUiEvent[]): Promise<void> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  await new Promise<void>((resolve, reject) => {
    verifyEvents(false)(transformHttpEventStream(runHttpRequest(() => Promise.resolve(response)))).subscribe({
      error: reject,
      complete: resolve,
    });
  });
}

test('the late result of an async tool of a sub-agent has the id of its call in AG-UI', async () => {
  verifies('web.agUi');
  async function* events(): AsyncGenerator<AgentEvent> {
    yield { type: 'turn-start', turn: 1, tools: [] };
    const event = { type: 'tool-complete', callId: 'i1', result: { forLLM: 'late' } } as const;
    yield event;
    yield { type: 'sub-agent-event', path: ['research', 'r1'], event };
  }
  const late = (await listOf(toAgUi(events(), { show: ['sub-agents'] }))).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'tool-complete' ? [event.value] : [],
  );
  expect(late).toMatchObject([{ callId: 'i1' }, { callId: '["r1","i1"]' }]);
});

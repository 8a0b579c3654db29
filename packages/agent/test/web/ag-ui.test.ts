import { runHttpRequest, transformHttpEventStream, verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { describe, expect, test } from 'vitest';
import { collect, createMemorySession, runSession } from '../../src/index.ts';
import { type AgUiEvent, type ClientField, decisionsFromAgUi, toAgUi, toAgUiResponse } from '../../src/web/index.ts';
import { scriptedProvider, verifies } from '@kernel/testing';
import { user } from '../support.ts';
import { ALL, listOf, RUN_NAMES, runOf, SECRETS, SHOWN_RUNS, start, tools } from './runs.ts';

async function eventsOf(name: string, show: readonly ClientField[] = ALL): Promise<AgUiEvent[]> {
  return listOf(toAgUi(runOf(name), { show, threadId: 't', runId: 'r' }));
}

/** How many events of a response the client's own parser reads and its state machine lets pass; rejects with what it refuses. */
function verify(response: Response): Promise<number> {
  const received = transformHttpEventStream(runHttpRequest(() => Promise.resolve(response)));
  return new Promise((resolve, reject) => {
    let count = 0;
    verifyEvents(false)(received).subscribe({
      next: () => (count += 1),
      error: reject,
      complete: () => resolve(count),
    });
  });
}

describe('AG-UI events', () => {
  test.each(SHOWN_RUNS)('of %s, showing %s, pass the schemas and the state machine of AG-UI', async (name, _, show) => {
    verifies('web.agUi');
    const events = await eventsOf(name, show);
    for (const event of events) expect(EventSchemas.safeParse(event)).toMatchObject({ success: true });
    expect(await verify(toAgUiResponse(runOf(name), { show }))).toBe(events.length);
    expect(events[0]).toEqual({ type: 'RUN_STARTED', threadId: 't', runId: 'r' });
    expect(events.at(-1)?.type).toMatch(/^RUN_(?:FINISHED|ERROR)$/);
    for (const secret of show.length === 0 ? SECRETS : []) expect(JSON.stringify(events)).not.toContain(secret);
  });

  test('every call that began has an end and, unless it waits, a result', async () => {
    for (const name of RUN_NAMES) {
      const events = await eventsOf(name);
      const idsOf = (type: AgUiEvent['type']): string[] =>
        events.flatMap((event) => (event.type === type && 'toolCallId' in event ? [event.toolCallId] : [])).toSorted();
      expect(idsOf('TOOL_CALL_END')).toEqual(idsOf('TOOL_CALL_START'));
      const results = name.includes('approval') ? idsOf('TOOL_CALL_START') : idsOf('TOOL_CALL_RESULT');
      expect(results).toEqual(idsOf('TOOL_CALL_START'));
    }
  });

  test('the events of a sub-agent are attributed to it, and its calls have ids of their own', async () => {
    const events = await eventsOf('sub-agents');
    const started = events.flatMap((event) => (event.type === 'SUBAGENT_STARTED' ? [event] : []));
    expect(started.map(({ name }) => name)).toEqual(['research', 'research']);
    expect(events.filter(({ type }) => type === 'SUBAGENT_FINISHED')).toHaveLength(2);
    const inner = events.filter((event) => event.type === 'TOOL_CALL_START' && event.toolCallName === 'look');
    expect(inner).toHaveLength(2);
    for (const call of inner) expect(call).toHaveProperty('subagentRunId');
  });

  test('calls with repeated ids are three calls, each with its own arguments', async () => {
    const events = await eventsOf('repeated call ids');
    const texts = new Map<string, string>();
    for (const event of events)
      if (event.type === 'TOOL_CALL_ARGS')
        texts.set(event.toolCallId, `${texts.get(event.toolCallId) ?? ''}${event.delta}`);
    expect([...texts.values()]).toEqual(['{"a":"1"}', '{"a":"2"}', '{"a":"3"}']);
    expect(JSON.stringify(events)).not.toContain('cut off');
  });

  test('a run that waits ends with an interrupt for each pending call', async () => {
    const end = (await eventsOf('an approval')).at(-1);
    expect(end).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'interrupt', interrupts: [{ reason: 'approval', message: 'Allow "remove" to run?' }] },
    });
  });

  test('an aborted run is cancelled, and a failed one an error without its internals', async () => {
    expect((await eventsOf('an abort', [])).at(-1)).toMatchObject({ outcome: { type: 'cancelled' } });
    expect((await eventsOf('a provider error', [])).at(-1)).toEqual({
      type: 'RUN_ERROR',
      code: 'PROVIDER_HTTP',
      message: 'The model could not be reached or did not answer.',
    });
  });

  test('a response carries one event in each frame', async () => {
    const text = await toAgUiResponse(start([{ text: 'Hi' }])).text();
    const types = text
      .trimEnd()
      .split('\n\n')
      .map((frame) => (JSON.parse(frame.slice('data: '.length)) as AgUiEvent).type);
    expect(types[0]).toBe('RUN_STARTED');
    expect(types.at(-1)).toBe('RUN_FINISHED');
  });

  test.each([
    ['resolved', { approved: true }, 'done', 'removed'],
    ['resolved', { approved: false, reason: 'keep it' }, 'denied', 'keep it'],
    ['resolved', { approved: false, reason: null }, 'denied', 'The user denied the call.'],
    ['resolved', { approved: false, reason: '' }, 'denied', 'The user denied the call.'],
    ['resolved', { approved: true, reason: null }, 'done', 'removed'],
    ['cancelled', undefined, 'denied', 'The user denied the call.'],
  ])('an interrupt that is %s with %j goes on', async (status, payload, outcome, text) => {
    verifies('web.approvals');
    const session = createMemorySession();
    const provider = scriptedProvider([{ calls: [{ name: 'remove' }] }, { text: 'ok' }]);
    const options = { session, provider, model: 'm', tools: tools() };
    const first = await listOf(
      toAgUi(runSession({ ...options, messages: [user('Go')], approve: decisionsFromAgUi(undefined) })),
    );
    const end = first.at(-1);
    const [interrupt] = end?.type === 'RUN_FINISHED' && end.outcome.type === 'interrupt' ? end.outcome.interrupts : [];
    const resume = [{ interruptId: interrupt?.id, status, ...(payload && { payload }) }];
    const result = await collect(runSession({ ...options, approve: decisionsFromAgUi(resume) }));
    expect(result.toolCalls[0]?.result.outcome ?? 'done').toBe(outcome);
    expect(result.toolCalls[0]?.result.forLLM).toContain(text);
  });
});

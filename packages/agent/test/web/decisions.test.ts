import type { Approve } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, createMemorySession, runSession } from '../../src/index.ts';
import { type ClientPendingCall, clientEvents, decisionsFrom } from '../../src/web/index.ts';
import { user } from '../support.ts';
import { agent, listOf, tools } from './runs.ts';

const DIGEST = 'a'.repeat(64);

async function ask(calls: readonly { name: string; id?: string }[] = [{ name: 'remove' }, { name: 'remove' }]) {
  const session = createMemorySession();
  const provider = scriptedProvider([{ calls }, { text: 'ok' }]);
  const options = { session, provider, model: 'm', tools: tools() };
  const first = await listOf(
    clientEvents(runSession({ ...options, messages: [user('Go')], approve: () => ({ decision: 'later' }) })),
  );
  const end = first.at(-1);
  const pending: readonly ClientPendingCall[] = (end?.type === 'run-end' ? end.pending : undefined) ?? [];
  return { pending, goOn: (approve: Approve) => collect(runSession({ ...options, approve })) };
}

describe('decisions of a client', () => {
  test('come back by id, and the run goes on with them', async () => {
    verifies('web.approvals');
    const { pending, goOn } = await ask();
    const [first, second] = pending;
    const json: unknown = JSON.parse(
      JSON.stringify([
        { callId: first?.callId, decision: 'allow', digest: first?.digest },
        { callId: second?.callId, decision: 'deny', reason: 'keep it' },
      ]),
    );
    const result = await goOn(decisionsFrom(json));
    expect(result.toolCalls.map(({ result: { outcome = 'done' } }) => outcome).toSorted()).toEqual(['denied', 'done']);
    expect(JSON.stringify(result.messages)).toContain('keep it');
  });

  test('a call without a decision stays pending, or is left to another function', async () => {
    const { pending, goOn } = await ask();
    const only = { callId: pending[0]?.callId, decision: 'allow', digest: pending[0]?.digest };
    const waiting = await goOn(decisionsFrom(only));
    expect(waiting).toMatchObject({ reason: 'approval', pending: [{ id: pending[1]?.callId }] });
    const result = await goOn(decisionsFrom(only, () => ({ decision: 'deny', reason: 'late' })));
    expect(result.reason).toBe('done');
  });

  test('an allow counts only for the digest that was shown', async () => {
    verifies('web.approvals');
    const { pending, goOn } = await ask([{ name: 'remove' }]);
    const result = await goOn(decisionsFrom({ callId: pending[0]?.callId, decision: 'allow', digest: DIGEST }));
    expect(result.reason).toBe('approval');
  });

  test('reach calls of sub-agents, by their path, and no call of the same id elsewhere', async () => {
    const session = createMemorySession();
    const inner = () => agent([{ calls: [{ name: 'remove', id: 'r1' }] }, { text: 'Removed.' }]);
    const provider = scriptedProvider([
      { calls: [{ name: 'research', id: 'r1', arguments: { task: 't' } }] },
      { text: 'ok' },
    ]);
    const options = { session, provider, model: 'm', tools: inner() };
    const allowOuter: Approve = ({ path }) => ({ decision: path.length === 0 ? 'allow' : 'later' });
    const first = await listOf(clientEvents(runSession({ ...options, messages: [user('Go')], approve: allowOuter })));
    const end = first.at(-1);
    const pending = end?.type === 'run-end' ? end.pending?.[0] : undefined;
    expect(pending).toMatchObject({ callId: 'r1', path: ['r1'], name: 'remove' });
    const answer = { callId: 'r1', decision: 'allow', digest: pending?.digest };
    const wrong = await collect(runSession({ ...options, approve: decisionsFrom(answer) }));
    expect(wrong.reason).toBe('approval');
    const right = await collect(runSession({ ...options, approve: decisionsFrom({ ...answer, path: pending?.path }) }));
    expect(right.reason).toBe('done');
  });

  test.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'allow'],
    ['a number', 1],
    ['an empty object', {}],
    ['a list of lists', [[]]],
    ['no decision', { callId: 'c' }],
    ['another decision', { callId: 'c', decision: 'edit', arguments: '{}' }],
    ['a decision of another type', { callId: 'c', decision: true, digest: DIGEST }],
    ['an id of another type', { callId: 1, decision: 'allow', digest: DIGEST }],
    ['an empty id', { callId: '', decision: 'allow', digest: DIGEST }],
    ['a long id', { callId: 'c'.repeat(5_000), decision: 'allow', digest: DIGEST }],
    ['an allow without a digest', { callId: 'c', decision: 'allow' }],
    ['an allow with an invalid digest', { callId: 'c', decision: 'allow', digest: 'x' }],
    ['an allow with a digest with more behind it', { callId: 'c', decision: 'allow', digest: `${DIGEST}\n` }],
    ['a path that is none', { callId: 'c', path: 'a', decision: 'allow', digest: DIGEST }],
    ['a path of numbers', { callId: 'c', path: [1], decision: 'allow', digest: DIGEST }],
    ['a long path', { callId: 'c', path: Array.from({ length: 200 }, () => 'a'), decision: 'deny' }],
    ['a reason of another type', { callId: 'c', decision: 'deny', reason: { toString: 1 } }],
    ['a long reason', { callId: 'c', decision: 'deny', reason: 'x'.repeat(5_000) }],
    [
      'two decisions on one call',
      [
        { callId: 'c', decision: 'deny' },
        { callId: 'c', decision: 'allow', digest: DIGEST },
      ],
    ],
    ['too many decisions', Array.from({ length: 1_001 }, (_, index) => ({ callId: `c${index}`, decision: 'deny' }))],
    ['a list with a hole', JSON.parse('[null]')],
  ])('%s is refused with a typed error', (_, json) => {
    verifies('web.approvals');
    expect(() => decisionsFrom(json)).toThrow(expect.objectContaining({ code: 'ARGUMENTS_INVALID' }));
  });

  test('the error says which decision is wrong, and what was received', () => {
    const denied = { callId: 'c', decision: 'deny' };
    expect(() => decisionsFrom([denied, denied])).toThrow('There are two decisions for the call "c".');
    expect(() => decisionsFrom([denied, { callId: 'd', decision: 'maybe' }])).toThrow(
      'Decision 1: decision is "maybe", not "allow" or "deny".',
    );
    expect(() => decisionsFrom({ callId: 'd', decision: 'allow', digest: 'x' })).toThrow(
      'The decision allows a call but has no valid digest of what was shown.',
    );
  });

  test.each(['__proto__', 'constructor', 'toString', '["r1","r1"]'])('an id %j is an ordinary id', async (callId) => {
    const approve = decisionsFrom({ callId, decision: 'deny' });
    const request = {
      call: { type: 'tool-call', id: 'c', name: 'a', arguments: '{}' },
      tool: {},
      path: [],
      digest: DIGEST,
    };
    expect(await approve(request as never)).toEqual({ decision: 'later' });
    expect(await approve({ ...request, call: { ...request.call, id: callId } } as never)).toMatchObject({
      decision: 'deny',
    });
  });
});

import { textOf } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run, withSelectedTools } from '../../src/index.ts';
import { user } from '../support.ts';

const model = 'm';

describe('withSelectedTools', () => {
  test('offers the chosen tools of each turn, and a call to another gives an error', async () => {
    verifies('agent.loop.subset');
    const inner = mockToolset([mockTool('a', 'x'), mockTool('b', 'y')]);
    const tools = withSelectedTools(inner, (all, { turn }) =>
      all.filter(({ name }) => (name === 'a') === (turn === 1)),
    );
    const provider = scriptedProvider([{ calls: [{ name: 'b' }] }, { calls: [{ name: 'b' }] }, { text: 'ok' }]);
    const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
    expect(provider.streamRequests.map((request) => request.tools?.map(({ name }) => name))).toEqual([
      ['a'],
      ['b'],
      ['b'],
    ]);
    expect(provider.streamRequests[1]?.tools).toBe(provider.streamRequests[2]?.tools);
    expect(inner.calls).toHaveLength(1);
    expect(result.messages.map(textOf)[2]).toContain('not on offer in this turn. Offered: a.');
  });
});

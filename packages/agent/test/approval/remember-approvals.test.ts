import type { ToolCall, Approve } from '@kernel/protocol';
import { mockTool } from '@kernel/testing';
import { expect, test } from 'vitest';
import { rememberApprovals } from '../../src/index.ts';

const callOf = (name: string, text = '{}'): ToolCall => ({ type: 'tool-call', id: '1', name, arguments: text });
const context = () => ({ signal: new AbortController().signal });

test('rememberApprovals asks once for the same tool and arguments, or for the tool', async () => {
  for (const [rule, asked] of [
    ['arguments', 2],
    ['tool', 1],
    [() => 'all', 1],
  ] as const) {
    let count = 0;
    const approve: Approve = rememberApprovals(() => ({ decision: (count += 1) > 0 ? 'allow' : 'later' }), rule);
    const tool = mockTool('a', 'x').tool;
    for (const text of ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"a":2}'])
      await approve({ call: callOf('a', text), tool, path: [], digest: '', signal: context().signal });
    expect(count).toBe(asked);
  }
});

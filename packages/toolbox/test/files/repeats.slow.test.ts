import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { indexOfSequence, indexOfText } from '../../src/files/edit/find-sequence.ts';
import { applyPatchTool } from '../../src/files/index.ts';
import { memoryWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { textOf } from '../workspace/three-workspaces.ts';

const context = { signal: new AbortController().signal, callId: '1', toolName: 'x' };

async function patch(workspace: Workspace, lines: readonly string[]) {
  const text = ['*** Begin Patch', '*** Update File: a', ...lines, '*** End Patch'].join('\n');
  return applyPatchTool(workspace).handler({ patch: text } as never, context);
}

test('text that repeats itself is found where the slow search finds it', () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 2000; round += 1) {
    const all = Array.from({ length: random(400) }, () => 'ab'[random(20) === 0 ? 1 : 0]).join('');
    const start = random(200);
    const wanted = random(2) === 0 ? `b${all.slice(start, start + random(150))}` : `${'a'.repeat(random(90))}b`;
    const from = random(50);
    const expected = all.indexOf(wanted, from);
    expect(indexOfText(all, wanted, from)).toBe(expected);
    expect(indexOfSequence(Array.from(all), Array.from(wanted), from)).toBe(expected);
  }
  const long = `${'a'.repeat(200_000)}b${'a'.repeat(1000)}`;
  expect(indexOfText(long, `${'a'.repeat(1000)}b${'a'.repeat(1000)}`, 0)).toBe(199_000);
});

test.each([
  ['x\r\ny\r\nb', ['@@', ' y', '-b', '+c'], 'x\r\ny\r\nc'],
  ['x\r\ny\r\nb', ['@@', ' y', ' b', '+c'], 'x\r\ny\r\nb\r\nc'],
  ['x\r\ny\r\nb', ['@@', ' y', '-b'], 'x\r\ny'],
  ['x\r\ny\r\n', ['@@', ' y', '+c', '*** End of File'], 'x\r\ny\r\nc\r\n'],
  ['x\ny\nb', ['@@', ' y', ' b', '+c'], 'x\ny\nb\nc'],
  ['x\r\ny\nb\r\n', ['@@', ' y', '+c'], 'x\r\ny\nc\r\nb\r\n'],
])('a patch of %j keeps line endings, and the last line as it is', async (before, lines, after) => {
  verifies('toolbox.files.patch');
  const workspace = memoryWorkspace({ a: before });
  await patch(workspace, lines);
  expect(await textOf(workspace, 'a')).toBe(after);
});

import { verifies } from '@kernel/testing';
import { beforeAll, expect, test } from 'vitest';
import { fileTools } from '../../src/files/index.ts';
import type { Workspace } from '../../src/workspace/index.ts';
import { onDisk } from '../workspace/three-workspaces.ts';

const FILES = Object.fromEntries(
  Array.from({ length: 2000 }, (_, index) => [`d${index % 20}/f${index}`, 'o'.repeat(16)]),
);
let workspace: Workspace;
beforeAll(async () => {
  workspace = await onDisk(FILES);
});

test.each([
  ['glob', { pattern: 'none-*' }],
  ['search_text', { query: 'nothing here' }],
  ['search_text', { query: '(o+)+$x', regex: true }],
])('%s lets the program go on, and ends when it is aborted: %j', { timeout: 120_000 }, async (name, input) => {
  verifies('toolbox.files.abort');
  const handler = fileTools(workspace, { ripgrep: false }).find(({ tool }) => tool.name === name)?.handler;
  const controller = new AbortController();
  // The first of the events that are let run.
  setImmediate(() => controller.abort(new Error('enough')));
  const repeated = async () => {
    // As often as it takes for a machine of any speed.
    for (let round = 0; round < 500; round += 1)
      await handler?.(input as never, { signal: controller.signal, callId: '1', toolName: name });
  };
  await expect(repeated()).rejects.toThrow('enough');
});

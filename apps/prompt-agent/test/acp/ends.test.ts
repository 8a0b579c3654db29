import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk/unstable';
import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { toRequestError } from '../../src/acp/request-error.ts';
import { choose, withEditor } from './editor.ts';

const READ = { calls: [{ name: 'list_directory', arguments: {} }] };

test('why a turn ended is what the protocol has for it, with a sentence where there is no answer', async () => {
  verifies('cli.acp.ends');
  const ends = [
    { replies: [{ text: 'All of it.' }], stopReason: 'end_turn', sentence: 'All of it.' },
    {
      replies: [{ text: 'Half of', finishReason: 'length' as const }],
      stopReason: 'max_tokens',
      sentence: 'The reply was cut by its length limit',
    },
    {
      replies: [{ text: '', finishReason: 'content-filter' as const }],
      stopReason: 'refusal',
      sentence: "The reply was stopped by the vendor's filter",
    },
    {
      replies: [READ, READ],
      args: ['--max-turns', '1'],
      stopReason: 'max_turn_requests',
      sentence: 'The run reached its limit (turns)',
    },
    {
      replies: Array.from({ length: 9 }, () => READ),
      stopReason: 'end_turn',
      sentence: 'The model repeated the same calls',
    },
  ];
  for (const { replies, args = [], stopReason, sentence } of ends)
    // oxlint-disable-next-line no-await-in-loop -- one program after the other
    await withEditor({ replies, args }, async ({ begin, prompt, said }) => {
      expect(await prompt(await begin(), 'Go.')).toMatchObject({ stopReason });
      expect(said()).toContain(sentence);
    });
});

test('a vendor that fails is an error with its hint, one that refuses the key asks to sign in, and the session goes on', async () => {
  verifies('cli.acp.ends');
  let status = 500;
  const replies = () => (status === 200 ? { text: 'Here.' } : { status, chunks: ['{"error":{"message":"no"}}'] });
  await withEditor({ replies, args: ['--max-time', '20s'] }, async ({ begin, prompt, said }) => {
    const session = await begin();
    status = 401;
    await expect(prompt(session, 'One.')).rejects.toMatchObject({ code: -32_000 });
    status = 400;
    await expect(prompt(session, 'Two.')).rejects.toMatchObject({ code: -32_603, data: { code: 'PROVIDER_HTTP' } });
    status = 200;
    await prompt(session, 'Three.');
    expect(said()).toBe('Here.');
  });
});

test('an error and what to do about it are sentences', () => {
  verifies('cli.acp.ends');
  const told = (message: string, hint?: string) =>
    toRequestError(new KernelError('PROVIDER_NETWORK', message, hint === undefined ? {} : { hint })).message;
  expect(told('ECONNREFUSED 127.0.0.1:9', 'Check baseUrl.')).toBe('ECONNREFUSED 127.0.0.1:9. Check baseUrl.');
  expect(told('It failed.', 'Try again.')).toBe('It failed. Try again.');
  expect(told('Is it "m-1"?', 'Check it.')).toBe('Is it "m-1"? Check it.');
  expect(told('No model `m-1`\n', 'Check it.')).toBe('No model `m-1`. Check it.');
  expect(told('One line\nand another')).toBe('One line and another');
});

test('a request that is cancelled by its id ends as a cancelled turn does', async () => {
  verifies('cli.acp.cancel');
  const options = { replies: [READ, { text: 'x'.repeat(10), fault: { stallAfter: 1 } }] };
  await withEditor(options, async ({ begin, agent, updates }) => {
    const stop = new AbortController();
    const sessionId = await begin();
    const prompt = [{ type: 'text' as const, text: 'Go.' }];
    const turn = agent.request('session/prompt', { sessionId, prompt }, { cancellationSignal: stop.signal });
    await expect.poll(() => updates.some((update) => 'status' in update && update.status === 'completed')).toBe(true);
    stop.abort();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  });
});

test.each([
  [{ session: { notices: {} } }, 'notice'],
  [{}, 'agent_thought_chunk'],
])(
  'what the program warns of is a notice in an editor that shows them, and a thought in another one: %j',
  async (capabilities, kind) => {
    verifies('cli.acp.ends');
    const edit = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] };
    let folder = '';
    const options = {
      replies: [edit, { text: 'Done.' }],
      capabilities,
      answer(request: RequestPermissionRequest) {
        // The rule cannot be kept where a folder is.
        mkdirSync(join(folder, '.config/prompt-agent/permissions.json'), { recursive: true });
        return choose(request, 'always');
      },
    };
    await withEditor(options, async ({ begin, prompt, cwd, updates }) => {
      folder = cwd;
      await prompt(await begin(), 'Go.');
      const notice = updates.find(({ sessionUpdate }) => sessionUpdate === kind);
      expect(JSON.stringify(notice)).toContain('the rule holds for this session alone');
    });
  },
);

test('what a turn waits for before it asks the vendor again is told', async () => {
  verifies('cli.acp.ends');
  const busy = { status: 503, headers: { 'retry-after': '0' }, chunks: ['{"error":{"message":"busy"}}'] };
  await withEditor({ replies: [busy, { text: 'Done.' }] }, async ({ begin, prompt, said, updates }) => {
    await prompt(await begin(), 'Go.');
    const thoughts = updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_thought_chunk');
    expect(JSON.stringify(thoughts)).toMatch(/retry 1 in 0\.0 s: .*503/);
    expect(said()).toBe('Done.');
  });
});

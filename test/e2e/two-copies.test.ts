import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as agent from '@kernel/agent';
import { scriptedProvider, verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { afterAll, expect, test } from 'vitest';

const AGENT = fileURLToPath(new URL('../../packages/agent', import.meta.url));
const COPY = join(AGENT, 'node_modules/.cache/second-copy');

afterAll(() => rmSync(COPY, { recursive: true, force: true }));

test('a run of one installed copy decides on the calls of an agent that another copy runs', async () => {
  verifies('agent.loop.approval.copies');
  cpSync(join(AGENT, 'dist'), COPY, { recursive: true });
  const copy = (await import(pathToFileURL(join(COPY, 'index.js')).href)) as typeof agent;
  expect(copy.agentAsTool).not.toBe(agent.agentAsTool);
  const ran: string[] = [];
  const write = {
    tool: { name: 'write', description: 'Writes.', parameters: { type: 'object' }, effect: 'write' },
    handler: () => (ran.push('write'), 'written'),
  } as const;
  const helper = copy.agentAsTool({
    name: 'helper',
    description: 'Helps.',
    run: {
      provider: scriptedProvider([{ calls: [{ name: 'write', arguments: {} }] }, { text: 'Not allowed.' }]),
      model: 'm',
      tools: createRegistry([write]),
    },
  });
  const asked: string[] = [];
  const ended = await agent.collect(
    agent.run({
      provider: scriptedProvider([{ calls: [{ name: 'helper', arguments: { task: 'Write.' } }] }, { text: 'Done.' }]),
      model: 'm',
      messages: [{ role: 'user', content: 'Go.' }],
      tools: createRegistry([helper]),
      approve({ call }) {
        asked.push(call.name);
        return call.name === 'helper' ? { decision: 'allow' } : { decision: 'deny', reason: 'No.' };
      },
    }),
  );
  expect(ended).toMatchObject({ reason: 'done', answer: 'Done.' });
  expect(asked).toEqual(['helper', 'write']);
  expect(ran).toEqual([]);
});

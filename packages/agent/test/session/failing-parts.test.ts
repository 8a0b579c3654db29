import type { StepExecutor } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, createMemorySession, run, runSession, type Session, withCompaction } from '../../src/index.ts';
import { user } from '../support.ts';

const fullDisk = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
};

test('a session whose append throws at once is STORE_FAILED, as one that rejects', async () => {
  verifies('agent.session.storeFailed');
  const inner = createMemorySession();
  let count = 0;
  const session: Session = { ...inner, append: (entries) => ((count += 1) > 2 ? fullDisk() : inner.append(entries)) };
  const tools = mockToolset([mockTool('a', 'x', { effect: 'write' })]);
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'ok' }]);
  const result = await collect(runSession({ provider, model: 'm', session, messages: [user('Go')], tools }));
  expect(result).toMatchObject({ reason: 'error', error: { code: 'STORE_FAILED', data: { code: 'ENOSPC' } } });
  expect(tools.calls).toHaveLength(0);
});

test.each([undefined, [], [undefined], [null], 'x'])(
  'a step executor that returns %j is named, with the step',
  async (outputs) => {
    verifies('agent.steps.outputs');
    const steps = { all: async () => outputs } as unknown as StepExecutor;
    const result = await collect(
      run({ provider: scriptedProvider([{ text: 'x' }]), model: 'm', messages: [user('Go')], steps }),
    );
    expect(result).toMatchObject({
      reason: 'error',
      error: { code: 'CONFIG_INVALID', message: 'The step executor returned nothing for "model:1".' },
    });
  },
);

test.each(['get', 'set'] as const)('a store of summaries whose %s throws is STORE_FAILED', async (method) => {
  verifies('agent.session.storeFailed');
  const summaries = Object.assign(new Map<string, string>(), { [method]: fullDisk });
  const provider = withCompaction(scriptedProvider([{ text: 'sum' }, { text: 'x' }]), { maxTokens: 50, summaries });
  const messages = [
    user('a'.repeat(4000)),
    { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    user('q'),
  ] as const;
  expect(await collect(run({ provider, model: 'm', messages }))).toMatchObject({
    reason: 'error',
    error: { code: 'STORE_FAILED', data: { code: 'ENOSPC' } },
  });
});

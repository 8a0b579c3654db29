import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { runToolLoop } from '../../src/compat/index.ts';
import { user } from '../support.ts';

const model = 'm';

describe('runToolLoop', () => {
  test('alternates between model and tools until the answer', async () => {
    verifies('agent.loop.result');
    const tools = mockToolset([mockTool('a', 'x')]);
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'done' }]);
    const options = { max_tokens: 4096 };
    expect(await runToolLoop({ provider, model, tools, maxIterations: 5, options }, [user('Go')], 'mail', '7')).toEqual(
      { content: 'done', iterations: 2 },
    );
    expect(tools.contexts[0]?.conversation).toEqual({ channel: 'mail', chatId: '7' });
    expect(provider.streamRequests[0]?.options).toEqual(options);
  });

  test("throws the provider's error and the abort's reason", async () => {
    verifies('agent.loop.providerError');
    const error = new Error('gone');
    await expect(runToolLoop({ provider: scriptedProvider([{ error }]), model }, [user('Go')])).rejects.toMatchObject({
      cause: error,
    });
    const signal = AbortSignal.abort(error);
    await expect(runToolLoop({ provider: scriptedProvider([]), model, signal }, [user('Go')])).rejects.toBe(error);
  });
});

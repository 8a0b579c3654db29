import { type Provider } from '@kernel/protocol';
import { describe, expect, test } from 'vitest';
import { run } from '../src/index.ts';
import { user } from './support.ts';

const model = 'm';

describe('events', () => {
  test('a slow reader holds a fast provider back', async () => {
    let sent = 0;
    const provider: Provider = {
      name: 'fast',
      async *stream() {
        for (; sent < 10_000; sent += 1) yield { type: 'text-delta', text: '.' } as const;
        yield {
          type: 'message-end',
          message: { role: 'assistant', content: [{ type: 'text', text: '.' }] },
          finishReason: 'stop',
        };
      },
    };
    const events = run({ provider, model, messages: [user('Go')] });
    await events.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toBeLessThan(200);
    await events.return();
  });
});

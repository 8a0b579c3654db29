import { scriptedProvider } from '@kernel/testing';
import { expect, test } from 'vitest';
import { run, tapEvents } from '../../src/index.ts';
import { readAll, user } from '../support.ts';

const model = 'm';

test('a sink that throws or rejects affects neither the run nor the other sinks', async () => {
  const seen: string[] = [];
  const errors: unknown[] = [];
  const sinks = [
    () => {
      throw new Error('one');
    },
    () => Promise.reject(new Error('two')),
    (event: { type: string }) => void seen.push(event.type),
  ];
  const events = await readAll(
    tapEvents(run({ provider: scriptedProvider([{ text: 'x' }]), model, messages: [user('Go')] }), sinks, (error) =>
      errors.push(error),
    ),
  );
  await expect.poll(() => errors).toHaveLength(2 * events.length);
  expect(seen).toEqual(events.map(({ type }) => type));
});

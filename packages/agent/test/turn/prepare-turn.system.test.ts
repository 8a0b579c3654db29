import { scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run } from '../../src/index.ts';
import { user } from '../support.ts';

const model = 'm';

describe('prepareTurn', () => {
  test('one that never answers is ended by the limit of time', async () => {
    verifies('run.prepareTurn.checked');
    const provider = scriptedProvider([{ text: 'ok' }]);
    const prepareTurn = () => new Promise<undefined>(() => {});
    const result = await collect(run({ provider, model, messages: [user('Go')], limits: { timeMs: 20 }, prepareTurn }));
    expect(result).toMatchObject({ reason: 'limit', limit: 'time' });
  });
});

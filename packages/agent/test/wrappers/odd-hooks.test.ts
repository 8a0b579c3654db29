import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run, withHooks } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

function fail(): never {
  throw new Error('a getter threw');
}

const proxy = (): unknown => new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail });
const ODD: readonly (readonly [string, () => unknown])[] = [
  ['a proxy that throws', proxy],
  ['a symbol', () => Symbol('odd')],
  ['an object without a prototype', () => Object.create(null)],
  ['an error whose message throws', () => Object.defineProperty(new Error('x'), 'message', { get: fail })],
  [
    'a result whose text throws',
    () => ({
      action: 'change',
      result: {
        get forLLM() {
          return fail();
        },
      },
    }),
  ],
  ['a result whose error throws', () => ({ action: 'change', result: { forLLM: '', isError: true, error: proxy() } })],
];

test.each(ODD)('a hook that returns or throws %s gives one result, and the run goes on', async (_name, make) => {
  verifies('tools.call.neverRejects');
  const throwing = (): never => {
    throw make();
  };
  for (const hook of [make as () => never, throwing])
    for (const hooks of [{ beforeTool: hook }, { afterTool: hook }]) {
      const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'done' }]);
      const tools = withHooks(mockToolset([mockTool('a', 'ok')]), hooks);
      const end = await collect(run({ provider, model: 'm', messages: [user('Go')], tools }));
      expect(end.reason).toBe('done');
      expectSound(end.messages);
    }
});

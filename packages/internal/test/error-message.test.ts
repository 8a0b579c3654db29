import { expect, test } from 'vitest';
import { errorMessage } from '../src/index.ts';

test('the message of an error is its text, and anything else that was thrown is the text of it', () => {
  expect(errorMessage(new TypeError('not a number'))).toBe('not a number');
  expect(errorMessage('out of paper')).toBe('out of paper');
  expect(errorMessage(undefined)).toBe('undefined');
  expect(errorMessage({ code: 7 })).toBe('{"code":7}');
  expect(errorMessage(new AggregateError([new Error('a'), new Error('b')]))).toBe('a; b');
});

test('a thrown value that throws when it is read still gives a text', () => {
  const unreadable = 'it threw a value that cannot be shown';
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(errorMessage(proxy)).toBe(unreadable);
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(errorMessage(circle)).toBe(unreadable);
  expect(
    errorMessage(
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('no');
        },
      }),
    ),
  ).toBe(unreadable);
});

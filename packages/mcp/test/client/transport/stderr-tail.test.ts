import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createStderrTail } from '../../../src/client/transport/server-process.ts';

test('the last lines of a server on stderr are told without colours, titles, bells and other control characters', async () => {
  verifies('mcp.client.stderr');
  const stream = new PassThrough();
  const tail = createStderrTail(stream);
  stream.end('\u001B]0;title\u0007\u001B[31mfailed\u001B[0m\u0007 at\tline 3\r\nhalf\rwhole\u0000\u0085\n');
  await new Promise((resolve) => stream.once('close', resolve));
  expect(tail.text()).toBe('failed at\tline 3\nhalf\nwhole');
});

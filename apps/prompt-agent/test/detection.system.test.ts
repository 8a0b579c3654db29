import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { promptHere } from './program.ts';

test('a refused connection on this machine is told after waits of 3 s in all, with what to do', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const args = ['--provider', 'openai', '--base-url', `http://127.0.0.1:${port}/v1`, '--model', 'm', '2+2'];
  const { code, stdout, stderr } = await promptHere(args);
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
  const waits = [...stderr.matchAll(/^retry \d in (\d+\.\d) s: openai: the connection failed: connect ECONNREFUSED/gm)];
  expect(waits).not.toHaveLength(0);
  expect(waits.reduce((sum, [, seconds]) => sum + Number(seconds), 0)).toBeLessThan(3);
  expect(stderr).toContain('Nothing listens there');
});

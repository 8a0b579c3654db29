import { createServer } from 'node:http';
import { connect } from 'node:net';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';

test('a connection to another machine is refused in every test, so that the suite passes without a network', async () => {
  verifies('architecture.offline');
  for (const host of ['192.0.2.1', 'example.com', '10.0.0.1'])
    expect(() => connect({ host, port: 80 })).toThrow(`a connection to ${host} was refused`);
  expect(() => connect(80, '192.0.2.1')).toThrow('was refused');
  await expect(fetch('http://192.0.2.1/')).rejects.toThrow('fetch failed');
});

test('this machine can be reached', async () => {
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('ok');
  await new Promise((resolve) => server.close(resolve));
});

import { once } from 'node:events';
import { request } from 'node:http';
import { type Toolset } from '@kernel/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveHttp, type ServeHttpOptions } from '../../../src/index.ts';
import { openSession, rpc, send } from '../raw.ts';
import { changeable } from '../support.ts';

async function urlOf(toolset: Toolset, options: ServeHttpOptions = {}): Promise<string> {
  const server = await serveHttp(toolset, options);
  onTestFinished(() => server.close());
  return server.url;
}

describe('a session', () => {
  test('that is idle ends by itself; an open stream keeps it alive', async () => {
    const url = await urlOf(changeable('a'), { sessionIdleMs: 800 });
    const used = await openSession(url);
    const stream = request(url, { headers: { accept: 'text/event-stream', ...used } }).end();
    await once(stream, 'response');
    const unused = await openSession(url);
    await vi.waitFor(async () => expect((await send(url, rpc('ping'), unused)).status).toBe(404), {
      interval: 1200,
      timeout: 60_000,
    });
    expect((await send(url, rpc('ping'), used)).status).toBe(200);
    stream.destroy();
    await vi.waitFor(async () => expect((await send(url, rpc('ping'), used)).status).toBe(404), {
      interval: 1200,
      timeout: 60_000,
    });
  });
});

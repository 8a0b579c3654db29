/* oxlint-disable no-await-in-loop -- turns come one after another */
import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { ADD } from '../history.ts';
import { endOf, errorOf, request } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

const OK = { replies: () => ({ text: 'ok' }) };

describe.each(WIRES)('the wire %s', (wire) => {
  test('the tools are written once per list and are the same bytes in every turn, old messages too', async () => {
    verifies('providers.definitions.cache');
    let reads = 0;
    const parameters = {
      type: 'object',
      get properties() {
        reads += 1;
        return { x: { type: 'string', enum: ['a'] } };
      },
    };
    const tools = Object.freeze([
      { ...ADD, parameters: Object.defineProperties({}, Object.getOwnPropertyDescriptors(parameters)) },
    ]);
    const history: Message[] = [];
    await withWire(wire, OK, async ({ provider, server }) => {
      const counts: number[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        history.push(Object.freeze({ role: 'user', content: `Turn ${turn}.` }));
        const { message } = await endOf(provider.stream(request({ tools, messages: [...history], cache: 'off' })));
        history.push(message);
        counts.push(reads);
      }
      expect(counts).toEqual([counts[0], counts[0], counts[0]]);
      const [first, second] = server.requests.map(({ bytes }) => Buffer.from(bytes).toString('utf8'));
      // Up to the brackets that close the list.
      expect(second?.startsWith(first?.slice(0, -3) ?? '-')).toBe(true);
    });
  });

  test('nothing of a tool but its description, name and schema reaches the body', async () => {
    verifies('providers.fields');
    const rich = {
      ...ADD,
      title: 'Secret title',
      outputSchema: { type: 'number' },
      effect: 'read',
      metadata: { tags: ['secret-tag'] },
      handler: 'secret-handler',
    } as const;
    await withWire(wire, OK, async ({ provider, server }) => {
      await endOf(provider.stream(request({ tools: [rich] })));
      expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/ecret|effect|outputSchema|metadata|handler/);
    });
  });

  test('a tool choice that is not offered, and an option that has a field of its own, throw before anything is sent', async () => {
    verifies('providers.toolChoice', 'providers.options');
    await withWire(wire, OK, async ({ provider, server }) => {
      const tools = [ADD];
      expect(await errorOf(provider.stream(request({ tools, toolChoice: { name: 'ad' } })))).toMatchObject({
        code: 'TOOL_NOT_FOUND',
      });
      expect(await errorOf(provider.stream(request({ options: { messages: [] } })))).toMatchObject({
        code: 'CONFIG_INVALID',
      });
      expect(server.requests).toHaveLength(0);
    });
  });

  test('every tool choice is taken by the strict server', async () => {
    verifies('providers.toolChoice');
    await withWire(wire, OK, async ({ provider, server }) => {
      for (const toolChoice of ['auto', 'none', 'required', { name: 'add' }] as const) {
        await endOf(provider.stream(request({ tools: [ADD], toolChoice })));
      }
      expect(server.requests.flatMap(({ problems }) => problems)).toEqual([]);
    });
  });

  test('a key that the server echoes is redacted', async () => {
    verifies('providers.auth.secret');
    const token = 'sk-very-secret';
    await withWire(
      wire,
      { replies: [{ status: 401, chunks: [`{"error":{"message":"bad key ${token}"},"message":"bad key ${token}"}`] }] },
      async ({ provider }) => {
        const error = await errorOf(provider.stream(request()));
        expect(error).toMatchObject({ code: 'PROVIDER_HTTP', data: { status: 401 } });
        expect(`${error.stack ?? ''}${JSON.stringify(error)}`).not.toContain(token);
      },
      { token, credentials: undefined },
    );
  });
});

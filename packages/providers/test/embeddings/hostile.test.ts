import { type RawReply, startWireServer, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createProviders } from '../../src/index.ts';
import { errorOf } from '../support.ts';
import { transport } from '../transport.ts';

const floats = (...values: readonly number[]) => Buffer.from(new Float32Array(values).buffer).toString('base64');

const WIRES: readonly (readonly [string, (vector: unknown) => object])[] = [
  ['openai', (vector) => ({ data: [{ index: 0, embedding: vector }] })],
  ['gemini', (vector) => ({ embeddings: [{ values: vector }] })],
  ['ollama', (vector) => ({ embeddings: [vector] })],
];

async function embedOver(wire: string, body: string): Promise<unknown> {
  const reply: RawReply = { headers: { 'content-type': 'application/json' }, chunks: [body] };
  const server = await startWireServer({ replies: [reply] });
  try {
    const baseUrl = wire === 'openai' ? server.baseUrl : server.url;
    const { embed } = createProviders().create({ name: wire, baseUrl, token: 'k', ...transport });
    return await embed?.({ model: 'm', input: 'a' });
  } finally {
    await server.close();
  }
}

describe.each(WIRES)('a vector of %s', (wire, bodyOf) => {
  test.each([
    ['null, as JSON writes NaN', '[1,null,3]'],
    ['a number beyond all', '[1,1e999,3]'],
    ['text', '[1,"2",3]'],
    ['true', '[true]'],
    ['a list', '[[1]]'],
  ])('with a component that is %s is a typed error, not a shorter vector', async (_, vector) => {
    verifies('providers.embed.components');
    const body = JSON.stringify(bodyOf('VECTOR')).replace('"VECTOR"', vector);
    expect(await errorOf(embedOver(wire, body))).toMatchObject({
      code: 'PROVIDER_PROTOCOL',
      message: expect.stringContaining('component') as unknown,
    });
  });
});

test.each([
  ['NaN', floats(1, Number.NaN)],
  ['Infinity', floats(Infinity)],
  ['half a number', Buffer.from([0, 0, 128, 63, 0, 0]).toString('base64')],
])('a vector in base64 with %s is a typed error', async (_, vector) => {
  verifies('providers.embed.components');
  const body = JSON.stringify({ data: [{ index: 0, embedding: vector }] });
  expect(await errorOf(embedOver('openai', body))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
});

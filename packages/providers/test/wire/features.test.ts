/* oxlint-disable no-await-in-loop -- one wire after another */
import { readFileSync } from 'node:fs';
import { verifies, type WireName } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD, history, IMAGE } from '../history.ts';
import { endOf, request } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

type Request = Parameters<typeof request>[0];

const MODEL = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const SCHEMA = { type: 'object', properties: {}, required: [], additionalProperties: false };

async function ask(wire: WireName, more: Request): Promise<{ body: string; warned: boolean }> {
  let asked = { body: '', warned: false };
  await withWire(wire, { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    const end = await endOf(provider.stream(request({ model: MODEL, ...more })));
    asked = { body: JSON.stringify(server.requests[0]?.body), warned: end.warnings !== undefined };
  });
  return asked;
}

async function reasoningReturns(wire: WireName): Promise<boolean> {
  let returns = false;
  await withWire(
    wire,
    { replies: [{ reasoning: 'my thoughts', calls: [{ name: 'add', id: 'a' }] }, { text: 'ok' }] },
    async (setup) => {
      const { message } = await endOf(setup.provider.stream(request({ tools: [ADD] })));
      const result = { role: 'tool', toolCallId: 'a', name: 'add', content: '1' } as const;
      await endOf(setup.provider.stream(request({ tools: [ADD], messages: [...request().messages, message, result] })));
      returns = /my thoughts|sig-wire|enc-wire/.test(JSON.stringify(setup.server.requests[1]?.body));
    },
  );
  return returns;
}

async function has(wire: WireName, member: 'countTokens' | 'embed' | 'transcribe'): Promise<boolean> {
  let found = false;
  await withWire(wire, {}, async ({ provider }) => {
    found = provider[member] !== undefined;
  });
  return found;
}

const FEATURES: readonly (readonly [string, (wire: WireName) => Promise<string>])[] = [
  ['must call', async (wire) => said(!(await ask(wire, { tools: [ADD], toolChoice: 'required' })).warned, 'warned')],
  [
    'must not call, after earlier calls',
    async (wire) => {
      const messages = history(wire, {});
      return said(!(await ask(wire, { tools: [ADD], toolChoice: 'none', messages })).warned, 'warned');
    },
  ],
  ['strict tools', async (wire) => said(!(await ask(wire, { tools: [{ ...ADD, strict: true }] })).warned, 'warned')],
  [
    'answer by schema',
    async (wire) => {
      const responseFormat = { name: 'n', schema: SCHEMA, strict: true };
      return said(!(await ask(wire, { responseFormat })).warned, 'instructions');
    },
  ],
  [
    'images',
    async (wire) => {
      const messages = [{ role: 'user', content: [IMAGE] }] as const;
      return said((await ask(wire, { messages })).body.includes(IMAGE.data), 'no');
    },
  ],
  [
    'images in results',
    async (wire) => {
      const messages = history(wire, {});
      return said((await ask(wire, { messages, tools: [ADD] })).body.split(IMAGE.data).length === 3, 'note');
    },
  ],
  ['reasoning goes back', async (wire) => said(await reasoningReturns(wire), 'by flag')],
  [
    'cache marks',
    async (wire) => said(/cache_control|cachePoint/.test((await ask(wire, { tools: [ADD] })).body), 'none'),
  ],
  ['seed', async (wire) => said(!(await ask(wire, { options: { seed: 1 } })).warned, 'warned')],
  ['token counts', async (wire) => said(await has(wire, 'countTokens'), 'no')],
  ['embeddings', async (wire) => said(await has(wire, 'embed'), 'no')],
  ['transcription', async (wire) => said(await has(wire, 'transcribe'), 'no')],
];

function said(yes: boolean, otherwise: string): string {
  return yes ? 'yes' : otherwise;
}

test('the table of wires and features in the guide is what each provider does', async () => {
  verifies('providers.vision', 'providers.toolChoice', 'providers.function.strict');
  const names = WIRES.map(([wire]) => wire);
  const lines = [`| | ${names.map((name) => `\`${name}\``).join(' | ')} |`, `|---|${names.map(() => '---|').join('')}`];
  for (const [feature, probe] of FEATURES) {
    const cells: string[] = [];
    for (const name of names) cells.push(await probe(name));
    lines.push(`| ${feature} | ${cells.join(' | ')} |`);
  }
  const guide = readFileSync(new URL('../../../../docs/guides/add-a-provider.md', import.meta.url), 'utf8');
  expect(plain(guide)).toContain(plain(lines.join('\n')));
});

/** A table without the padding of a formatter. */
function plain(table: string): string {
  return table.replaceAll(' ', '').replaceAll(/-+/g, '-');
}

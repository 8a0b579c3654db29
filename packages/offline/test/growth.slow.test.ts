import { KernelError, type Message, type Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { offlineProvider, type ToolPhrase } from '../src/index.ts';
import { expectLinear, workOf } from '../../../test/setup/growth.ts';
import { workTools } from './fixtures.ts';

/** A prompt is at most 2,000 characters long. */
const MAX_PROMPT = 1920;
const many = (size: number, unit: string): string => unit.repeat(Math.ceil(size / unit.length));

async function answer(prompt: string): Promise<void> {
  const messages = [{ role: 'user', content: prompt }] as const;
  try {
    for await (const _ of offlineProvider().stream({ model: 'offline', messages, tools: workTools }));
  } catch (error) {
    if (!KernelError.is(error, 'PROVIDER_REFUSED')) throw error;
  }
}

test.each<readonly [string, (size: number) => string]>([
  ['words', (size) => many(size, 'read the notes ')],
  ['one long word', (size) => many(size, 'reading')],
  ['requests', (size) => many(size, 'what time is it in Paris and then ')],
  ['sentences', (size) => many(size, 'Read a.md. ')],
  ['commas', (size) => many(size, ', ')],
  ['sums', (size) => `what is ${many(size, '1 + ')}1`],
  ['sums that end', (size) => many(size, '2 * 3, ')],
  ['numbers in words', (size) => many(size, 'ten plus ')],
  ['opening parentheses', (size) => `what is ${many(size, '(1 + ')}`],
  ['sums and words', (size) => many(size, '1 + 2 is a, ')],
  ['functions', (size) => many(size, 'sqrt(')],
  ['digits', (size) => `what is ${many(size, '7')} + 1`],
  ['dots', (size) => many(size, '.')],
  ['slashes', (size) => `read ${many(size, 'a/')}`],
  ['quotation marks', (size) => many(size, '"a" ')],
  ['opening quotation marks', (size) => many(size, "'“`")],
  ['white space', (size) => `read${many(size, ' \n')}a.md`],
  ['spaces', (size) => `read${many(size, ' ')}a.md`],
  ['negations', (size) => many(size, 'do not ')],
  ['hyphens', (size) => many(size, 'a-')],
  ['places', (size) => `time in ${many(size, 'New York ')}`],
])('a prompt of %s is understood or refused in linear time', async (_, make) => {
  verifies('offline.linear');
  await expectLinear({ make, work: answer, largest: MAX_PROMPT });
});

const weigh: Tool = {
  name: 'weigh',
  description: 'Measures things.',
  effect: 'read',
  parameters: { type: 'object', properties: { a: {}, b: {}, text: { type: 'string' } } },
};

async function ask(
  content: Extract<Message, { role: 'user' }>['content'],
  phrases: readonly ToolPhrase[],
): Promise<void> {
  const provider = offlineProvider({ phrases: { weigh: phrases } });
  const messages = [{ role: 'user', content }] as const;
  try {
    for await (const _ of provider.stream({ model: 'offline', messages, tools: [weigh] }));
  } catch (error) {
    if (!KernelError.is(error, 'PROVIDER_REFUSED')) throw error;
  }
}

test.each<readonly [string, (size: number) => string]>([
  ['values', (size) => `weigh ${'a '.repeat(size / 2)}`],
  ['numbers', (size) => `weigh ${'1, '.repeat(size / 3)}`],
  ['one word', (size) => `weigh ${'1'.repeat(size)}`],
  ['polite words', (size) => 'please '.repeat(size / 7)],
  ['quotation marks', (size) => '"'.repeat(size)],
])('a prompt of %s is compared with phrases in linear time', async (_, make) => {
  verifies('offline.linear');
  const phrases = [
    { text: 'weigh {a} (x|) {b} (y|) {c} end', input: {} },
    { text: 'weigh {a:numbers}', input: {} },
  ];
  await expectLinear({ make, work: (prompt) => ask(prompt, phrases), largest: MAX_PROMPT });
});

test('a long text is passed on in linear time', async () => {
  verifies('offline.linear');
  const make = (size: number): string => `<stdin>\n${'</stdin>\n'.repeat(size / 9)}</stdin>`;
  const work = (text: string): Promise<void> =>
    ask(
      [
        { type: 'text', text },
        { type: 'text', text: 'count' },
      ],
      [{ text: 'count', input: { text: '{material}' } }],
    );
  await expectLinear({ make, work, largest: 65_536 });
});

test.each(['(', '1+', '((1+', '"', "'", 'a/', 'and ', '1 and ', '15% of ', 'x@', '.', ' - ', 'sqrt('])(
  'the longest prompt of %j takes little work, and a longer one next to none',
  async (piece) => {
    const prompt = (length: number): string => piece.repeat(Math.floor(length / piece.length));
    expect(await workOf(() => answer(prompt(1999)))).toBeLessThan(4_000_000);
    expect(await workOf(() => answer(prompt(20_000)))).toBeLessThan(100_000);
  },
);

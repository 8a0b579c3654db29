import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { test } from 'vitest';
import { offlineProvider } from '../src/index.ts';
import { expectLinear } from '../../../test/setup/growth.ts';
import { workTools } from './fixtures.ts';

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
  ['numbers in words', (size) => many(size, 'twenty-one plus ')],
  ['opening parentheses', (size) => `what is ${many(size, '(1 + ')}`],
  ['digits', (size) => `what is ${many(size, '7')} + 1`],
  ['dots', (size) => many(size, '.')],
  ['slashes', (size) => `read ${many(size, 'a/')}`],
  ['quotation marks', (size) => many(size, '"a" ')],
  ['opening quotation marks', (size) => many(size, "'“`")],
  ['white space', (size) => `read${many(size, ' \n')}a.md`],
  ['negations', (size) => many(size, 'do not ')],
  ['hyphens', (size) => many(size, 'a-')],
  ['places', (size) => `time in ${many(size, 'New York ')}`],
])('a prompt of %s is understood or refused in linear time', async (_, make) => {
  verifies('offline.linear');
  await expectLinear({ make, work: answer, largest: 1024 });
});

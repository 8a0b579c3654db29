import { type MessageEnd, type Provider, type ProviderEvent, textOf, toolCallsOf } from '@kernel/protocol';
import type { WireServer } from '@kernel/testing';
import { expect } from 'vitest';
import { createProviders } from '../../src/index.ts';
import { all } from '../support.ts';
import { type RecordedFile, type RecordedWire, replyOf } from './files.ts';

export function providerOf(server: WireServer, wire: RecordedWire): Provider {
  const baseUrl = wire.startsWith('openai') ? server.baseUrl : server.url;
  return createProviders().create({ name: wire, baseUrl, token: 'test' });
}

export async function read(server: WireServer, file: RecordedFile, status?: number): Promise<MessageEnd> {
  return (await readEvents(server, file, status)).end;
}

export async function readEvents(
  server: WireServer,
  file: RecordedFile,
  status?: number,
): Promise<{ readonly events: readonly ProviderEvent[]; readonly end: MessageEnd }> {
  server.enqueue(replyOf(file, status));
  const messages = [{ role: 'user', content: 'Go on.' }] as const;
  const events = await all(
    providerOf(server, file.wire).stream({ model: 'test-model', messages, stream: file.streams }),
  );
  const end = events.at(-1);
  if (end?.type !== 'message-end') throw new Error('The last event is no message-end.');
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  expect(deltas.join('')).toBe(textOf(end.message));
  return { events, end };
}

/** The body of a request whose history has this message. */
export async function sentBody(
  server: WireServer,
  wire: RecordedWire,
  message: MessageEnd['message'],
): Promise<string> {
  server.enqueue({ status: 400, chunks: ['{}'] });
  const user = { role: 'user', content: 'Go on.' } as const;
  const results = toolCallsOf(message).map(
    ({ id, name }) => ({ role: 'tool', toolCallId: id, name, content: 'ok' }) as const,
  );
  const messages = [user, message, ...results, user];
  await all(providerOf(server, wire).stream({ model: 'test-model', messages })).catch(() => undefined);
  return Buffer.from(server.requests.at(-1)?.bytes ?? []).toString('utf8');
}

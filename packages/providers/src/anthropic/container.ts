import type { Message, OpaquePart } from '@kernel/protocol';
import { asFields, asText } from '../json-fields.ts';
import { opaquePart } from '../wire/message-parts.ts';

/** Not a content block: its id goes into a field of the request. */
export const CONTAINER = 'container';

/** https://docs.claude.com/en/docs/agents-and-tools/tool-use/code-execution-tool */
export function containerPart(value: unknown): OpaquePart | undefined {
  const id = asText(asFields(value)?.['id']);
  return id === undefined || id === '' ? undefined : opaquePart(CONTAINER, value);
}

/** The configured container with the id of the last one in the history, so that its files and variables are kept. The vendor refuses an expired one. */
export function containerField(configured: unknown, messages: readonly Message[], vendor: string): unknown {
  const own = asFields(configured);
  if ((configured !== undefined && own === undefined) || own?.['id'] !== undefined) return configured;
  const id = liveContainer(messages, vendor);
  if (id === undefined || own === undefined) return id ?? configured;
  return { ...own, id };
}

function liveContainer(messages: readonly Message[], vendor: string): string | undefined {
  const parts = messages.flatMap((message) =>
    message.role === 'assistant' && message.provider?.vendor === vendor
      ? message.content.filter((part) => part.type === 'opaque' && part.kind === CONTAINER)
      : [],
  );
  const last = parts.at(-1);
  const container = last?.type === 'opaque' ? asFields(last.providerData) : undefined;
  const expiry = Date.parse(asText(container?.['expires_at']) ?? '');
  return expiry <= Date.now() ? undefined : asText(container?.['id']);
}

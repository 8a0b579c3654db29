import type { Message, OpaquePart } from '@kernel/protocol';
import { asFields, asText } from '../json-fields.ts';
import { opaquePart } from '../wire/message-parts.ts';

/** The kind of the opaque part that holds the container of a reply. It is not a content block: its id goes into a field of the request. @internal */
export const CONTAINER = 'container';

/** Creates the part for the container in which the vendor ran code: https://docs.claude.com/en/docs/agents-and-tools/tool-use/code-execution-tool @internal */
export function containerPart(value: unknown): OpaquePart | undefined {
  const id = asText(asFields(value)?.['id']);
  return id === undefined || id === '' ? undefined : opaquePart(CONTAINER, value);
}

/**
 * Returns the `container` of a request: the configured one, with the id of the last container in the history of this vendor, so that its files and
 * variables are kept. The id of an expired container is left out, since the vendor refuses it. @internal
 */
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

import { isObject, sliceHead } from '@kernel/internal';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../transport/server-link.ts';

type Checks = Pick<ClientSdk, 'isSpecType'>;

/**
 * Repairs the result of a tool, which the SDK would refuse as a whole: a part that can't be read becomes a line that
 * says so, and null members count as absent. Returns any other message as it is.
 */
export function withReadableParts(sdk: Checks, message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message)) return message;
  // What a server says of itself has no null that means something.
  if (isObject(message.result['serverInfo'])) return { ...message, result: withoutNullBelow(message.result) };
  if (!isToolResult(message.result)) return message;
  return { ...message, result: readableResult(sdk, message.result) };
}

/** Repairs a result, of a call or of a task. */
export function readableResult(sdk: Checks, result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { content, structuredContent, isError, _meta, ...rest } = result;
  // The SDK takes any value for structured content of the newest protocol, and of an older one only objects.
  const isPlain = structuredContent === undefined || isObject(structuredContent);
  if (isPlain && sdk.isSpecType.CallToolResult(result) && Array.isArray(content)) return result;
  const parts = (Array.isArray(content) ? content : []).map((part: unknown) => readablePart(sdk, part));
  const isData = isObject(structuredContent);
  if (!isData && structuredContent !== undefined && structuredContent !== null)
    parts.push({ type: 'text', text: JSON.stringify(structuredContent) });
  return {
    ...rest,
    content: parts,
    ...(isData && { structuredContent }),
    ...(typeof isError === 'boolean' && { isError }),
    ...(isObject(_meta) && { _meta }),
  };
}

/** Whether a result is that of a tool: samples have a model, and answers an action. */
export function isToolResult(result: Readonly<Record<string, unknown>>): boolean {
  return (
    (Array.isArray(result['content']) || isObject(result['structuredContent']) || 'isError' in result) &&
    result['model'] === undefined &&
    result['action'] === undefined
  );
}

/** Leaves out null members and a `_meta` that is not an object, which servers write for what is absent. */
export function withoutNull(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(isPresent));
}

function withoutNullBelow(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const present = Object.entries(withoutNull(value));
  return Object.fromEntries(present.map(([key, each]) => [key, isObject(each) ? withoutNullBelow(each) : each]));
}

function isPresent([key, member]: readonly [string, unknown]): boolean {
  return member !== null && (key !== '_meta' || isObject(member));
}

function readablePart({ isSpecType }: Checks, part: unknown): unknown {
  if (isSpecType.ContentBlock(part)) return part;
  const { annotations: _annotations, _meta, ...rest } = isObject(part) ? part : {};
  const { resource, ...present } = withoutNull(rest);
  if (isObject(resource)) Object.assign(present, { resource: withoutNull(resource) });
  if (isSpecType.ContentBlock(present)) return present;
  if (typeof part === 'string') return { type: 'text', text: part };
  const type =
    typeof present['type'] === 'string' ? `, of type ${JSON.stringify(sliceHead(present['type'], 50))},` : '';
  return { type: 'text', text: `(A part of the result${type} cannot be read and was left out.)` };
}

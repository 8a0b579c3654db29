import { isObject, sliceHead } from '@kernel/internal';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../transport/server-link.ts';

type Checks = Pick<ClientSdk, 'isSpecType'>;

/**
 * Makes the result of a tool one that the SDK takes, which refuses the whole of it for one part: a part that cannot be read becomes a line that says
 * so, and fields that are null count as absent. Returns any other message as it is.
 */
export function withReadableParts(sdk: Checks, message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !isToolResult(message.result)) return message;
  return { ...message, result: readableResult(sdk, message.result) };
}

/** Returns the readable form of the result of a tool, also of one that came as a task. */
export function readableResult(sdk: Checks, result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (sdk.isSpecType.CallToolResult(result) && Array.isArray(result.content)) return result;
  const { content, structuredContent, isError, _meta, ...rest } = result;
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

/** Whether a result is one of a tool: prompts have messages, resources contents, samples a model, and answers an action. */
export function isToolResult(result: Readonly<Record<string, unknown>>): boolean {
  return (
    (Array.isArray(result['content']) || isObject(result['structuredContent']) || 'isError' in result) &&
    result['model'] === undefined &&
    result['action'] === undefined
  );
}

function readablePart({ isSpecType }: Checks, part: unknown): unknown {
  if (isSpecType.ContentBlock(part)) return part;
  const { annotations: _annotations, _meta, ...rest } = isObject(part) ? part : {};
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  if (isSpecType.ContentBlock(present)) return present;
  if (typeof part === 'string') return { type: 'text', text: part };
  const type =
    typeof present['type'] === 'string' ? `, of type ${JSON.stringify(sliceHead(present['type'], 50))},` : '';
  return { type: 'text', text: `(A part of the result${type} cannot be read and was left out.)` };
}

import { attempt, errorMessage, wellFormed } from '@kernel/internal';
import {
  isRepeatable,
  type MediaPart,
  toModelText,
  type Tool,
  type ToolResult,
  unreadableResult,
} from '@kernel/protocol';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';

/**
 * Returns a tool's result as that of `tools/call`: the text for the model first, then that for the user alone, then media.
 *
 * `data` becomes `structuredContent`; on a failure only if the tool declares no output schema, which a failure need not match.
 * A result without the data that the output schema promises is marked as a failure, as the protocol wants it, and keeps its text. Never throws: what
 * MCP cannot carry becomes a result that says so.
 */
export function toMcpResult(result: ToolResult, tool: Tool | undefined): CallToolResult {
  try {
    return wellFormed(convert(result, tool));
  } catch (error) {
    return unreadableToMcp(tool, tool?.name ?? 'the tool', `it cannot be sent: ${errorMessage(error)}`);
  }
}

/**
 * Returns the result of a call that ran and whose result cannot be read. Of a tool that may have changed something it is not a failure, unless an
 * output schema leaves no other way to send no data.
 */
export function unreadableToMcp(tool: Tool | undefined, name: string, why: string): CallToolResult {
  if (isRepeatable(tool?.effect)) return errorToMcp(`TOOL_FAILED: "${name}" failed: ${why}`);
  const { forLLM } = unreadableResult(name, `${why.replace(/[.]$/, '')}.`);
  return { ...errorToMcp(forLLM), isError: tool?.outputSchema !== undefined };
}

function errorToMcp(text: string): CallToolResult {
  return { content: [{ type: 'text', text: text.toWellFormed() }], isError: true };
}

const ASYNC_NOTE = '(The work goes on in the background; its outcome is not sent over MCP.)';

function convert(result: ToolResult, tool: Tool | undefined): CallToolResult {
  const content = [...textBlocks(result), ...(result.media ?? []).map((media, index) => mediaContent(media, index))];
  if (result.isError === true) {
    const structured = tool?.outputSchema === undefined ? structuredContent(result) : {};
    return { content, ...structured, isError: true };
  }
  if (tool?.outputSchema !== undefined && result.data === undefined) {
    const text = 'The call ran, but its result has no data, although the tool declares an output schema.';
    return { content: [...content, { type: 'text', text }], isError: true };
  }
  return { content, ...structuredContent(result) };
}

function textBlocks(result: ToolResult): readonly ContentBlock[] {
  const { forUser, silent, async: isAsync, media = [] } = result;
  const text = `${toModelText(result)}${isAsync === true ? `\n${ASYNC_NOTE}` : ''}`;
  const userText = silent === true || forUser === undefined || forUser === text ? undefined : forUser;
  const isForModelOnly = silent === true || userText !== undefined;
  const blocks: ContentBlock[] = [];
  if (text !== '' || media.length === 0)
    blocks.push({ type: 'text', text, ...(isForModelOnly ? { annotations: { audience: ['assistant'] } } : {}) });
  if (userText !== undefined) blocks.push({ type: 'text', text: userText, annotations: { audience: ['user'] } });
  return blocks;
}

function structuredContent({ data }: ToolResult): Pick<CallToolResult, 'structuredContent'> {
  if (data === undefined) return {};
  JSON.stringify(data); // throws here, where a failure can still be sent
  return { structuredContent: data };
}

/**
 * Returns a medium as MCP content: image and audio as they are, a file as an embedded resource, a URL as a link. Data
 * that is not valid base64 becomes a text that says so, since a client would refuse the whole result.
 */
function mediaContent(media: MediaPart, index: number): ContentBlock {
  const { type, mimeType, data, url, name } = media;
  if (data === undefined) {
    if (url === undefined) return omitted(media, 'has neither data nor a URL');
    return { type: 'resource_link', uri: url, name: name ?? url, mimeType };
  }
  // The same test that clients make.
  if (attempt(() => atob(data)) === undefined) return omitted(media, 'has data that is not valid base64');
  if (type !== 'file') return { type, data, mimeType };
  const uri = `attachment:///${encodeURIComponent((name ?? String(index + 1)).toWellFormed())}`;
  const text = isText(mimeType) ? asUtf8(data) : undefined;
  return { type: 'resource', resource: { uri, mimeType, ...(text === undefined ? { blob: data } : { text }) } };
}

function omitted(media: MediaPart, why: string): ContentBlock {
  return { type: 'text', text: `[${media.type} ${media.name ?? ''}(${media.mimeType}) was left out: it ${why}]` };
}

function isText(mimeType: string): boolean {
  return /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml)(?:;|$)/.test(mimeType);
}

function asUtf8(data: string): string | undefined {
  return attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64')));
}

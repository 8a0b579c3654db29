import { type Tool, toModelText, type ToolResult } from '@kernel/protocol';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { mediaContent } from './media-content.ts';

/**
 * Returns a tool's result as `tools/call` answers it: the model's text first, then what is for the user alone, then media.
 *
 * `data` becomes `structuredContent`, on a failure only where the tool declares no output schema, which a failure need not fit.
 * A result that lacks the data which the output schema promises is a failure with its text kept. Never throws: what MCP cannot
 * hold becomes a failure that says so.
 */
export function toMcpResult(result: ToolResult, tool: Tool | undefined): CallToolResult {
  try {
    return convert(result, tool);
  } catch (error) {
    return failed(`TOOL_FAILED: the result cannot be sent: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns a failure with this text. */
export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

const LATER = '(The work goes on; its outcome is not sent over MCP.)';

function convert(result: ToolResult, tool: Tool | undefined): CallToolResult {
  const content = [...texts(result), ...(result.media ?? []).map((media, index) => mediaContent(media, index))];
  if (result.isError === true) {
    const structured = tool?.outputSchema === undefined ? structuredOf(result) : {};
    return { content, ...structured, isError: true };
  }
  if (tool?.outputSchema !== undefined && result.data === undefined) {
    const why = 'TOOL_FAILED: the tool declares an output schema, but this result has no data.';
    return { content: [...content, { type: 'text', text: why }], isError: true };
  }
  return { content, ...structuredOf(result) };
}

function texts(result: ToolResult): readonly ContentBlock[] {
  const { forUser, silent, async: isLater, media = [] } = result;
  const text = `${toModelText(result)}${isLater === true ? `\n${LATER}` : ''}`;
  const userText = silent === true || forUser === undefined || forUser === text ? undefined : forUser;
  const forModelAlone = silent === true || userText !== undefined;
  const blocks: ContentBlock[] = [];
  if (text !== '' || media.length === 0)
    blocks.push({ type: 'text', text, ...(forModelAlone ? { annotations: { audience: ['assistant'] } } : {}) });
  if (userText !== undefined) blocks.push({ type: 'text', text: userText, annotations: { audience: ['user'] } });
  return blocks;
}

function structuredOf({ data }: ToolResult): Pick<CallToolResult, 'structuredContent'> {
  if (data === undefined) return {};
  JSON.stringify(data); // throws here, where it still can be told
  return { structuredContent: data };
}

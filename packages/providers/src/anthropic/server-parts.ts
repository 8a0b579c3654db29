import type { Citation, Source } from '@kernel/protocol';
import { asFields, asList, asText, type Fields } from '../json-fields.ts';
import type { CallTypes } from '../wire/tool-encoder.ts';
import { citationOf, serverToolCall, serverToolResult, sourceLines, sourceOf } from '../wire/server-tools/parts.ts';

const SERVER_CALLS = ['server_tool_use', 'mcp_tool_use'];
const RESULT = '_tool_result';

export const MESSAGES_CALLS: CallTypes = { calls: ['tool_use'], vendor: [...SERVER_CALLS, `*${RESULT}`] };

/** https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview */
export function createServerPartReader() {
  const names = new Map<string, string>();
  return (block: Fields) => {
    const type = asText(block['type']) ?? '';
    if (SERVER_CALLS.includes(type)) {
      const [id = '', name = type] = [asText(block['id']), asText(block['name'])];
      names.set(id, name);
      return serverToolCall({ id, name, input: asFields(block['input']), data: block });
    }
    if (!type.endsWith(RESULT)) return undefined;
    const callId = asText(block['tool_use_id']) ?? '';
    const name = names.get(callId) ?? type.slice(0, -RESULT.length);
    return serverToolResult({ callId, name, ...readContent(block), data: block });
  };
}

function readContent(block: Fields): { text?: string; sources?: readonly Source[]; isError?: boolean } {
  const content = asFields(block['content']);
  const code = asText(content?.['error_code']);
  if (code !== undefined) return { text: asText(content?.['error_message']) ?? code, isError: true };
  const isError = block['is_error'] === true;
  if (content === undefined) return { ...readList(asList(block['content'])), isError };
  if (content['url'] !== undefined) return { ...readPage(content), isError };
  const tools = asList(content['tool_references']).flatMap((tool) => asText(asFields(tool)?.['tool_name']) ?? []);
  const output = [content['stdout'], content['stderr'], content['text'], content['content']];
  const failed = typeof content['return_code'] === 'number' && content['return_code'] !== 0;
  return {
    text: [...tools, ...output.flatMap((text) => asText(text) ?? [])].filter((text) => text !== '').join('\n'),
    isError: isError || failed,
  };
}

function readList(entries: readonly unknown[]): { text: string; sources: readonly Source[] } {
  const fields = entries.map((entry) => asFields(entry) ?? {});
  const sources = fields.filter((entry) => entry['url'] !== undefined).map(sourceOf);
  const texts = fields.flatMap((entry) => asText(entry['text']) ?? []);
  return { text: [...texts, sourceLines(sources)].filter((text) => text !== '').join('\n'), sources };
}

function readPage(result: Fields): { text: string; sources: readonly Source[] } {
  const document = asFields(result['content']);
  const source = asFields(document?.['source']);
  const text = source?.['type'] === 'text' ? (asText(source['data']) ?? '') : '';
  const { url } = result;
  return { text, sources: [sourceOf({ url, title: document?.['title'] })] };
}

export function readCitation(citation: Fields): Citation {
  const { url, source, title, document_title: documentTitle, document_index: document, cited_text: quote } = citation;
  return citationOf({ url: url ?? source, title: title ?? documentTitle, document, quote });
}

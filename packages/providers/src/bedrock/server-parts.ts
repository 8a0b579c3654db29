import type { Citation } from '@kernel/protocol';
import { asFields, asList, asText, type Fields } from '../json-fields.ts';
import { opaquePart } from '../wire/message-parts.ts';
import { citationOf, serverToolCall, serverToolResult } from '../wire/server-tools/parts.ts';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html */
export function createServerPartReader() {
  const names = new Map<string, string>();
  return (kind: string, block: Fields) => {
    const call = asFields(block['toolUse']);
    if (call !== undefined) {
      const [id = '', name = kind] = [asText(call['toolUseId']), asText(call['name'])];
      names.set(id, name);
      return serverToolCall({ id, name, input: call['input'], data: block });
    }
    const result = asFields(block['toolResult']);
    if (result === undefined) return opaquePart(kind, block);
    const callId = asText(result['toolUseId']) ?? '';
    const texts = asList(result['content']).flatMap((entry) => {
      const content = asFields(entry) ?? {};
      return asText(content['text']) ?? (content['json'] === undefined ? [] : JSON.stringify(content['json']));
    });
    const isError = result['status'] === 'error';
    const name = names.get(callId) ?? asText(result['type']) ?? kind;
    return serverToolResult({ callId, name, text: texts.join('\n'), isError, data: block });
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html */
export function readCitation(citation: Fields): Citation {
  const location = asFields(citation['location']) ?? {};
  const web = asFields(location['web']);
  const document = Object.values(location).map((each) => asFields(each)?.['documentIndex'])[0];
  const quotes = [...asList(citation['sourceContent'])].flatMap((entry) => asText(asFields(entry)?.['text']) ?? []);
  return citationOf({
    url: web?.['url'],
    title: citation['title'],
    document,
    quote: quotes.length === 0 ? undefined : quotes.join(''),
  });
}

import { asFields, asList, asNumber, asText, type Fields } from '../../json-fields.ts';
import type { MessageBuilder } from '../../wire/message-builder.ts';
import { citationOf } from '../../wire/server-tools/parts.ts';

const MAX_SOURCES = 100;

// Annotations, which OpenRouter has too: https://platform.openai.com/docs/guides/tools-web-search?api-mode=chat
// Lists of sources: https://docs.perplexity.ai/api-reference/chat-completions-post
export function createCitationReader() {
  let results: readonly unknown[] = [];
  let urls: readonly unknown[] = [];
  return {
    /** The fields beside the choices, where Perplexity lists its sources. Each chunk repeats them. */
    readReply(reply: Fields) {
      if (Array.isArray(reply['search_results'])) results = asList(reply['search_results']);
      if (Array.isArray(reply['citations'])) urls = asList(reply['citations']);
    },
    readMessage(message: Fields, builder: MessageBuilder) {
      for (const entry of asList(message['annotations'])) {
        const annotation = asFields(asFields(entry)?.['url_citation']);
        if (annotation === undefined) continue;
        const [start, end] = [asNumber(annotation['start_index']) ?? -1, asNumber(annotation['end_index']) ?? -1];
        const isInText = start >= 0 && start < end && end <= builder.lastTextLength();
        const { url, title, content: quote } = annotation;
        builder.citeLast(citationOf({ url, title, quote, span: isInText ? { start, end } : undefined }));
      }
    },
    end(builder: MessageBuilder) {
      const listed = results.length > 0 ? results : urls;
      for (const entry of listed.slice(0, MAX_SOURCES)) {
        const { url, title, snippet } = asFields(entry) ?? { url: asText(entry) };
        if (typeof url === 'string') builder.citeLast(citationOf({ url, title, quote: snippet }));
      }
    },
  };
}

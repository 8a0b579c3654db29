import type { Message } from '@kernel/protocol';

export interface Ask {
  /** The request: the last text of the message. */
  readonly prompt: string;
  /** The one text that came with it; `other` for several texts, a text that is too long, and media. */
  readonly material?: { readonly text: string } | 'other';
}

const MAX_MATERIAL_LENGTH = 1_000_000;

/**
 * Reads a user message: a text part is the request if it is the last one, and what came with it if others follow. A text within one element, such as
 * `<file name="a.md">`, is not a request, and its tags are not part of it.
 */
export function readAsk(message: Message | undefined): Ask {
  const content = message?.content ?? '';
  if (typeof content === 'string') return { prompt: content };
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const hasMedia = texts.length < content.length;
  const prompt = contentOf(texts.at(-1) ?? '') === undefined ? (texts.pop() ?? '') : '';
  const [first, ...more] = texts;
  if (first === undefined && !hasMedia) return { prompt };
  const text = contentOf(first ?? '') ?? first ?? '';
  const isOther = hasMedia || more.length > 0 || text.length > MAX_MATERIAL_LENGTH;
  return { prompt, material: isOther ? 'other' : { text } };
}

/** The content of a text that is one element with its tags on lines of their own; `undefined` for any other. */
function contentOf(text: string): string | undefined {
  const opened = /^<([a-z]+(?:-\d+)?)(?: name="[^\n]*")?>\n/.exec(text);
  const closing = `</${opened?.[1] ?? ''}>`;
  return opened === null || !text.endsWith(`\n${closing}`) ? undefined : text.slice(opened[0].length, -closing.length);
}

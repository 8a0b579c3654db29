import { asFields, asList, asText } from '../json-fields.ts';

/** A piece of a reply's text. @internal */
export interface TextPiece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/** Reads content that comes as a list of parts (Mistral and others): text, and thinking as reasoning. @internal */
export function textsOf(content: readonly unknown[]): readonly TextPiece[] {
  return content.flatMap((value): readonly TextPiece[] => {
    const part = asFields(value);
    if (part === undefined) return [];
    const text = asText(part['text']) ?? asText(part['refusal']);
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
    return textsOf(asList(part['thinking'])).map((inner) => ({ type: 'reasoning', text: inner.text }));
  });
}

import { asFields, asList, asText } from '../../json-fields.ts';

/** A piece of a reply's text. @internal */
export interface TextPiece {
  /** Whether it is part of the answer or of the model's reasoning. */
  readonly type: 'text' | 'reasoning';
  /** Never empty. */
  readonly text: string;
}

/** Reads content that is a list of parts (Mistral and others): text as text, thinking as reasoning. @internal */
export function textPiecesOf(content: readonly unknown[]): readonly TextPiece[] {
  return content.flatMap((value): readonly TextPiece[] => {
    const part = asFields(value);
    if (part === undefined) return [];
    const text = asText(part['text']) ?? asText(part['refusal']);
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
    return textPiecesOf(asList(part['thinking'])).map((inner) => ({ type: 'reasoning', text: inner.text }));
  });
}

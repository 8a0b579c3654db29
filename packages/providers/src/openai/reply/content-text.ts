import { asFields, asList, asText } from '../../json-fields.ts';

export interface TextPiece {
  readonly type: 'text' | 'reasoning';
  /** Never empty. */
  readonly text: string;
}

/** Of Mistral and others. */
export function textPiecesOf(content: readonly unknown[]): readonly TextPiece[] {
  return content.flatMap((value): readonly TextPiece[] => {
    const part = asFields(value);
    if (part === undefined) return [];
    const text = asText(part['text']) ?? asText(part['refusal']);
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
    return textPiecesOf(asList(part['thinking'])).map((inner) => ({ type: 'reasoning', text: inner.text }));
  });
}

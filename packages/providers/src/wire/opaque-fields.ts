import { asText, parseJson } from '../json-fields.ts';

export function createOpaqueFields(start: object) {
  const fields = new Map<string, unknown>(Object.entries(start));
  const inputPieces: string[] = [];
  return {
    /** Text is appended, anything else replaces what was there. */
    add(name: string, value: unknown) {
      const before = fields.get(name);
      fields.set(name, typeof before === 'string' && typeof value === 'string' ? before + value : value);
    },
    /** A piece of the JSON text of the input. */
    addInput: (piece: unknown) => void inputPieces.push(asText(piece) ?? ''),
    /** Returns the fields as the vendor would have sent them in one piece, or undefined if the input was cut off. */
    complete() {
      const text = inputPieces.join('');
      if (text.trim() === '') return fields;
      const input = parseJson(text);
      return input === undefined ? undefined : fields.set('input', input);
    },
  };
}

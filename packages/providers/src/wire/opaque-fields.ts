import { asText, parseJson } from '../json-fields.ts';

export interface OpaqueFields {
  /** Text is appended, anything else replaces what was there. */
  add(name: string, value: unknown): void;
  /** A piece of the JSON text of the input. */
  addInput(piece: unknown): void;
  /** As the vendor would have sent them at once; undefined if the input was cut off. */
  complete(): Map<string, unknown> | undefined;
}

export function createOpaqueFields(start: object): OpaqueFields {
  const fields = new Map<string, unknown>(Object.entries(start));
  const inputPieces: string[] = [];
  return {
    add(name, value) {
      const before = fields.get(name);
      fields.set(name, typeof before === 'string' && typeof value === 'string' ? before + value : value);
    },
    addInput: (piece) => void inputPieces.push(asText(piece) ?? ''),
    complete() {
      const text = inputPieces.join('');
      if (text.trim() === '') return fields;
      const input = parseJson(text);
      return input === undefined ? undefined : fields.set('input', input);
    },
  };
}

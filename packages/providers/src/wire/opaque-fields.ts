import { asText, parseJson } from '../json-fields.ts';

/** The fields of a block that only the vendor understands, while they arrive. @internal */
export interface OpaqueFields {
  /** Adds a field of a delta: text is appended, anything else replaces what was there. */
  add(name: string, value: unknown): void;
  /** Adds a piece of the JSON text of the input. */
  addInput(piece: unknown): void;
  /** The fields as the vendor would have sent them at once; undefined if the input was cut off. */
  complete(): Map<string, unknown> | undefined;
}

/** Creates the fields from those that the block begins with. @internal */
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

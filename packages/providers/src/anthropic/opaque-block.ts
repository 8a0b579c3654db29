import { asText, type Fields, parseJson } from '../json-fields.ts';

/** A block of a kind that only the vendor understands, while it arrives. @internal */
export interface OpaqueBlock {
  /** Adds a delta: text is appended, anything else replaces what was there. */
  add(delta: Fields): void;
  /** Hands on the block as the vendor would have sent it at once, unless its input was cut off. */
  end(): void;
}

/** Creates a block from its start; `keep` gets the kind and the complete block. @internal */
export function createOpaqueBlock(start: Fields, keep: (kind: string, data: unknown) => void): OpaqueBlock {
  const fields = new Map(Object.entries(start));
  const inputPieces: string[] = [];
  return {
    add(delta) {
      for (const [key, value] of Object.entries(delta)) {
        if (key === 'type') continue;
        const before = fields.get(key);
        if (key === 'partial_json') inputPieces.push(asText(value) ?? '');
        else fields.set(key, typeof before === 'string' && typeof value === 'string' ? before + value : value);
      }
    },
    end() {
      const text = inputPieces.join('');
      if (text.trim() !== '') {
        const input = parseJson(text);
        if (input === undefined) return;
        fields.set('input', input);
      }
      keep(asText(start['type']) ?? '', Object.fromEntries(fields));
    },
  };
}

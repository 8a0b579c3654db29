import type { Fields } from '../json-fields.ts';
import { createOpaqueFields } from '../wire/opaque-fields.ts';

/** A block of a kind that only the vendor understands, while it arrives. @internal */
export interface OpaqueBlock {
  /** Adds a delta: text is appended, anything else replaces what was there. */
  add(delta: Fields): void;
  /** Hands on the block as the vendor would have sent it at once, unless its input was cut off. */
  end(): void;
}

/** Creates a block from its start; `keep` gets the complete block. @internal */
export function createOpaqueBlock(start: Fields, keep: (block: Fields) => void): OpaqueBlock {
  const fields = createOpaqueFields(start);
  return {
    add(delta) {
      for (const [key, value] of Object.entries(delta)) {
        if (key === 'partial_json') fields.addInput(value);
        else if (key !== 'type') fields.add(key, value);
      }
    },
    end() {
      const block = fields.complete();
      if (block !== undefined) keep(Object.fromEntries(block));
    },
  };
}

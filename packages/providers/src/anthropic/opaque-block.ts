import type { Fields } from '../json-fields.ts';
import { createOpaqueFields } from '../wire/opaque-fields.ts';

export function createOpaqueBlock(start: Fields, keep: (block: Fields) => void) {
  const fields = createOpaqueFields(start);
  return {
    add(delta: Fields) {
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

export type OpaqueBlock = ReturnType<typeof createOpaqueBlock>;

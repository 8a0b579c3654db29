import type { JsonSchema } from '@kernel/protocol';
import { invalidSchema } from '@kernel/schema';

/** Counts the schemas that a conversion visits. Throws `TOOL_SCHEMA_INVALID` when they are too many. */
export type Spend = (schemas: number) => void;

/** How many more schemas a conversion may visit than the schema has characters. */
const MAX_GROWTH = 20_000;

/** Creates the budget of one schema: its own size, and a fixed growth. References that lead to references can multiply without end. */
export function createBudget(schema: JsonSchema, subject: string): Spend {
  let left = MAX_GROWTH;
  let ownLength: number | undefined;
  return (schemas) => {
    left -= schemas;
    // Few schemas come so far: only for them the schema's own size is read.
    if (left < 0 && ownLength === undefined) left += ownLength = JSON.stringify(schema).length;
    if (left >= 0) return;
    const hint = 'Write it with fewer references to schemas that have references themselves.';
    throw invalidSchema(subject, '', 'becomes too large when its references are followed', hint);
  };
}

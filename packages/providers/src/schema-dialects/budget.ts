import type { JsonSchema } from '@kernel/protocol';
import { KernelError } from '@kernel/protocol';

/** How much a schema may grow by inlining, in nodes; sixteen characters count like a node. */
const MAX_GROWTH = 20_000;
const CHARACTERS_PER_NODE = 16;
/** Deeper than any real schema, and far less deep than the stack allows. */
const MAX_DEPTH = 500;

/** The schema's own size, and a fixed growth: references that lead to references can multiply without end. */
export function createBudget(schema: JsonSchema) {
  let left = MAX_GROWTH;
  let ownLength: number | undefined;
  let depth = 0;
  return {
    /** Throws `TOOL_SCHEMA_INVALID` when the schema has grown beyond its limit. */
    spend(text?: unknown) {
      left -= 1 + lengthOf(text) / CHARACTERS_PER_NODE;
      if (left >= 0) return;
      // Few schemas come so far: only for them the schema's own size is read.
      if (ownLength === undefined) left += ownLength = JSON.stringify(schema).length;
      if (left < 0) throw tooLarge();
    },
    nest<T>(work: () => T) {
      depth += 1;
      if (depth > MAX_DEPTH) throw tooLarge();
      const result = work();
      depth -= 1;
      return result;
    },
  };
}

export type Budget = ReturnType<typeof createBudget>;

export function tooLarge(tool?: string, cause?: unknown): KernelError {
  const subject = tool === undefined ? 'The schema' : `The schema of the tool "${tool}"`;
  const message = `${subject} becomes too large or too deep for this API when its references are inlined.`;
  return new KernelError('TOOL_SCHEMA_INVALID', message, {
    hint: 'Leave the tool out of the request, or write its schema with fewer references to schemas that have references themselves.',
    ...(tool === undefined ? {} : { data: { tool } }),
    ...(cause === undefined ? {} : { cause }),
  });
}

function lengthOf(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}

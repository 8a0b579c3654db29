import { errorMessage } from '@kernel/internal';
import type { JsonSchema, Tool } from '@kernel/protocol';
import { compileSchema, inspectSchema, type Validator } from '@kernel/schema';
import type { CallToolResult } from '@modelcontextprotocol/client';

const validators = new WeakMap<JsonSchema, Validator>();

/**
 * Returns what is wrong with the structured content of a result, or undefined if it matches the tool's output schema. Schema and content are the
 * server's, so the work is bounded: a result that takes too long to check does not match.
 */
export function checkOutput(
  { outputSchema }: Tool,
  { isError, structuredContent }: CallToolResult,
): string | undefined {
  if (outputSchema === undefined || isError === true) return undefined;
  if (structuredContent === undefined) return 'the tool has an output schema, but the result has no structured content';
  if (isTooDeep(structuredContent)) return undefined; // it is left out of the result
  const validator = validators.get(outputSchema) ?? compileSchema(outputSchema);
  validators.set(outputSchema, validator);
  if (validator.test(structuredContent)) return undefined;
  const [issue] = validator.issues(structuredContent);
  if (issue === undefined || issue.keyword === 'depth') return 'it takes too long to check';
  return `${issue.path || '/'} must be ${issue.expected}`;
}

/** Says what is wrong with a schema, so that its tool cannot be used; undefined for a sound one. */
export function findSchemaFault(schema: object, subject = 'its output schema'): string | undefined {
  try {
    inspectSchema({ ...schema }, subject, { allowsSlowPatterns: true });
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** Deeper than any real schema or result, and far less deep than the stack of a recursive function allows. */
const MAX_DEPTH = 512;

/** Whether JSON data is nested so deeply that a recursive function may overflow the stack. Not itself recursive. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

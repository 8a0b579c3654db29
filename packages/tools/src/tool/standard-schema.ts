import type { JsonSchema } from '@kernel/protocol';
import { KernelError } from '@kernel/protocol';
import { isSchemaObject } from '../schema/schema-index.ts';

/**
 * A Standard Schema that also gives its JSON Schema: zod from 4.2, and others. Structural on purpose: no library is named here.
 */
export interface InputSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Readonly<Record<string, unknown>>;
    };
  };
}

/** What a Standard Schema answers: a value, or what is wrong. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong, and where. */
export interface StandardIssue {
  readonly message: string;
  /** What a check threw, for logs. */
  readonly cause?: unknown;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type that a schema gives out: what a handler gets. */
export type OutputOf<S extends InputSchema> = NonNullable<S['~standard']['types']>['output'];

/** Returns the JSON Schema of what a schema takes in, without noise: no `$schema`, no bounds that only say "safe integer". */
export function toJsonSchema(schema: InputSchema, what: string): JsonSchema {
  const given: Partial<InputSchema> | null | undefined = schema;
  const standard: Partial<InputSchema['~standard']> | undefined = given?.['~standard'];
  if (typeof standard?.validate !== 'function' || typeof standard.jsonSchema?.input !== 'function') {
    throw new KernelError('TOOL_SCHEMA_INVALID', `${what} is no Standard Schema that gives its JSON Schema.`, {
      hint: 'Use zod 4.2 or later or another Standard Schema with "~standard.jsonSchema", or bindTool() with a JSON Schema.',
    });
  }
  try {
    return quietBounds(standard.jsonSchema.input({ target: 'draft-2020-12' }), true);
  } catch (error) {
    throw new KernelError('TOOL_SCHEMA_INVALID', `${what} cannot be written as JSON Schema: ${messageOf(error)}`, {
      cause: error,
      hint: 'Use types that JSON has; transform values in the handler or after a plain type.',
    });
  }
}

/** Turns issues into JSON pointers and messages. */
export function issuePath(issue: StandardIssue): string {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function quietBounds(value: Readonly<Record<string, unknown>>, root: boolean): JsonSchema {
  const isInteger = value['type'] === 'integer';
  const kept = Object.entries(value).filter(
    ([key, content]) =>
      !(root && key === '$schema') &&
      !(isInteger && key === 'minimum' && content === Number.MIN_SAFE_INTEGER) &&
      !(isInteger && key === 'maximum' && content === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(kept.map(([key, content]) => [key, DATA.has(key) ? content : quietContent(content)]));
}

/** Keywords whose content is data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

function quietContent(content: unknown): unknown {
  if (Array.isArray(content)) return content.map((item: unknown) => quietContent(item));
  return isSchemaObject(content) ? quietBounds(content, false) : content;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

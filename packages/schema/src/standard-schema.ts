import { pointerToken, errorMessage } from '@kernel/internal';
import { type JsonSchema, KernelError } from '@kernel/protocol';
import { isSchemaObject } from './validator/schema-index.ts';

/** A Standard Schema that also provides its JSON Schema: zod from 4.2, and others. Structural, so that no library is imported. */
export interface StandardSchemaWithJson<Input = unknown, Output = Input> {
  /** The properties that the Standard Schema specification defines. */
  readonly '~standard': {
    /** The version number of the standard. */
    readonly version: 1;
    /** The vendor name of the schema library. */
    readonly vendor: string;
    /** Validates unknown input values. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The types of the schema, for the compiler only. */
    readonly types?:
      | {
          /** The input type of the schema. */
          readonly input: Input;
          /** The output type of the schema. */
          readonly output: Output;
        }
      | undefined;
    /** Generates JSON Schema, as the Standard JSON Schema specification defines. */
    readonly jsonSchema: {
      /** Converts the input type to JSON Schema of the draft `target`. Throws if that is not supported. */
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Readonly<Record<string, unknown>>;
    };
  };
}

/** The result of validation by a Standard Schema: the output, or what is wrong. */
export type StandardResult<Output> =
  /** The value is valid; this is the schema's output for it. */
  | { readonly value: Output; readonly issues?: undefined }
  /** The value is not valid. */
  | { readonly issues: readonly StandardIssue[] };

/** One issue found by a Standard Schema. */
export interface StandardIssue {
  /** What is wrong, in the library's words. */
  readonly message: string;
  /** What the validation threw, for logs. */
  readonly cause?: unknown;
  /** The keys that lead to the value; absent for the value itself. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The key that a path segment represents. */
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}

/** The input type of a schema: what a caller passes, and what its JSON Schema describes. */
export type InputOf<S extends StandardSchemaWithJson> = NonNullable<S['~standard']['types']>['input'];

/** The output type of a schema: what a handler gets. */
export type OutputOf<S extends StandardSchemaWithJson> = NonNullable<S['~standard']['types']>['output'];

/**
 * Returns the JSON Schema of a schema's input, without `$schema` and without bounds that only mean "safe integer".
 * Throws `TOOL_SCHEMA_INVALID`, which names the schema as `subject`.
 */
export function toJsonSchema(schema: StandardSchemaWithJson, subject: string): JsonSchema {
  const unchecked: Partial<StandardSchemaWithJson> | null | undefined = schema;
  const standard: Partial<StandardSchemaWithJson['~standard']> | undefined = unchecked?.['~standard'];
  if (typeof standard?.validate !== 'function' || typeof standard.jsonSchema?.input !== 'function') {
    throw new KernelError('TOOL_SCHEMA_INVALID', `${subject} is not a Standard Schema that provides its JSON Schema.`, {
      hint: 'Use zod 4.2 or later, or another Standard Schema with "~standard.jsonSchema". A tool with a plain JSON Schema is made with `bindTool`.',
    });
  }
  try {
    return withoutNoise(standard.jsonSchema.input({ target: 'draft-2020-12' }), true);
  } catch (error) {
    throw new KernelError(
      'TOOL_SCHEMA_INVALID',
      `${subject} cannot be expressed as JSON Schema: ${errorMessage(error)}`,
      {
        cause: error,
        hint: 'Use types that JSON can represent, and transform values after validation.',
      },
    );
  }
}

/** The JSON pointer of an issue; empty for the value itself. */
export function issuePath(issue: StandardIssue): string {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  return keys.map((key) => `/${pointerToken(key)}`).join('');
}

function withoutNoise(schema: Readonly<Record<string, unknown>>, isRoot: boolean): JsonSchema {
  const isInteger = schema['type'] === 'integer';
  const kept = Object.entries(schema).filter(
    ([keyword, content]) =>
      !(isRoot && keyword === '$schema') &&
      !(isInteger && keyword === 'minimum' && content === Number.MIN_SAFE_INTEGER) &&
      !(isInteger && keyword === 'maximum' && content === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(
    kept.map(([keyword, content]) => [keyword, DATA_KEYWORDS.has(keyword) ? content : cleanContent(content)]),
  );
}

/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = new Set(['const', 'enum', 'default', 'examples']);

function cleanContent(content: unknown): unknown {
  if (Array.isArray(content)) return content.map((item: unknown) => cleanContent(item));
  return isSchemaObject(content) ? withoutNoise(content, false) : content;
}

import { pointerToken } from '@kernel/internal';

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
      readonly input: (options: {
        /** The draft. */
        readonly target: 'draft-2020-12';
        /** Options that the library alone understands. */
        readonly libraryOptions?: Record<string, unknown> | undefined;
      }) => Readonly<Record<string, unknown>>;
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

/** The JSON pointer of an issue; empty for the value itself. */
export function issuePath(issue: StandardIssue): string {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  return keys.map((key) => `/${pointerToken(key)}`).join('');
}

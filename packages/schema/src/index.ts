export { annotateResult } from './arguments/foreign-arguments.ts';
export { callValidated, validateForeign, validateForeignText } from './arguments/foreign-arguments.ts';
export type { RawArguments } from './arguments/parse.ts';
export { validateArguments } from './arguments/validate.ts';
export type {
  RepairPolicy,
  UnknownProperties,
  ValidatedArguments,
  ValidatedTool,
  ValidationPolicy,
} from './arguments/validate.ts';
export { coerceValue } from './coerce/coerce.ts';
export type { Coerced } from './coerce/coerce.ts';
export { fromStandardSchema } from './library/from-standard-schema.ts';
export type { LibrarySchema } from './library/from-standard-schema.ts';
export { issuePath } from './standard-schema.ts';
export type { InputOf, OutputOf, StandardIssue, StandardResult, StandardSchemaWithJson } from './standard-schema.ts';
export type { ValidationIssue } from './validator/checks.ts';
export { compileSchema } from './validator/compile-schema.ts';
export type { CompileOptions, Validator } from './validator/compile-schema.ts';
export { deepFreezeCopy, invalidSchema } from './validator/deep-freeze-copy.ts';
export { inspectSchema } from './validator/inspect-schema.ts';
export { createSearch } from './regex/growth.ts';
export type { StepBudget } from './regex/linear.ts';
export { resetMatchSteps } from './validator/pattern.ts';
export { indexSchema, isSchema, isSchemaObject } from './validator/schema-index.ts';
export type { Dialect, ReferenceTarget, Schema, SchemaIndex, SchemaResource } from './validator/schema-index.ts';
export { toStrictSchema } from './strict/to-strict-schema.ts';

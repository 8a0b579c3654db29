export { compileSchema } from './compile-schema.ts';
export type { CompileOptions, Validator } from './compile-schema.ts';
export type { ValidationIssue } from './check-types.ts';
export type { Dialect, Schema } from './schema-index.ts';

export { compileSchema } from './compile-schema.ts';
export type { CompileOptions, Validator } from './compile-schema.ts';
export type { Fault } from './check.ts';

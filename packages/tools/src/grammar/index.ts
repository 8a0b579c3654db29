export { toJsonSchemaUnion } from './json-schema-union.ts';
export { toGbnf } from './to-gbnf.ts';
export type { Grammar, GrammarOptions } from './to-gbnf.ts';
export type { GrammarWarning } from './conversion.ts';

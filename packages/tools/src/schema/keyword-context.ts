import type { JsonSchema } from '@kernel/protocol';
import type { Check } from './check.ts';
import type { Dialect, Resource, Schema, SchemaIndex } from './schema-index.ts';

/** What a keyword's builder may use. */
export interface Build {
  readonly schema: JsonSchema;
  readonly resource: Resource;
  readonly dialect: Dialect;
  readonly index: SchemaIndex;
  /** Whether some schema here asks what others have looked at. */
  readonly tracks: boolean;
  /** Whether some schema here refers by dynamic scope. */
  readonly dynamic: boolean;
  /** The check of the schema `false`. */
  readonly never: Check;
  /** The schema that is being built, whole. */
  readonly self: Check;
  compile(schema: Schema): Check;
}

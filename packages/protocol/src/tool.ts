import type { JsonObject, JsonSchema, JsonValue } from './json.ts';

/**
 * Describes a tool to a model: the one type for that, from the registry to the wire.
 *
 * Frozen plain data: `JSON.parse(JSON.stringify(tool))` equals it. It has no handler; `ToolBinding` of `@kernel/tools` holds both.
 * Encoders pick fields by name, so that nothing else of the object ever reaches a vendor.
 */
export interface Tool {
  /** Matches `/^[A-Za-z0-9_-]{1,64}$/`; checked when the tool is registered. */
  readonly name: string;
  /** What the tool does, for the model. May be empty, which the registry reports as a warning. */
  readonly description: string;
  /** JSON Schema 2020-12 (or draft-07) of an object. A tool without arguments has `{ type: 'object', properties: {} }`. */
  readonly parameters: JsonSchema;
  /** A name for people. */
  readonly title?: string;
  /** JSON Schema of a successful result's `data`. */
  readonly outputSchema?: JsonSchema;
  /** Asks the vendor to constrain the model to the schema. Default false. */
  readonly strict?: boolean;
  /** What a call changes in the world. Without it, a tool counts as `external` wherever retry or approval is decided. */
  readonly effect?: ToolEffect;
  /** What helps a program or a person choose tools. Never sent to a model API. */
  readonly metadata?: ToolMetadata;
}

/**
 * What a call changes: nothing (`read`), the same thing however often it runs (`idempotent`), something of the program's own
 * (`write`), or something beyond its control (`external`).
 */
export type ToolEffect = 'read' | 'idempotent' | 'write' | 'external';

/** Whether a call can be repeated without harm: its tool only reads, or is idempotent. Without an effect, a tool counts as `external`. */
export function isRepeatable(effect: ToolEffect | undefined): boolean {
  return effect === 'read' || effect === 'idempotent';
}

/** Whether an agent can do without a tool. `conditional` tools are on offer only in turns in which their condition holds. */
export type ToolOptionality = 'required' | 'optional' | 'conditional';

/** Facts for choosing tools. Without metadata a tool counts as `optional`. */
export interface ToolMetadata {
  /** One of the standard categories (`code`, `vcs`, `build`, `research`, `publish`, `utility`) or any other word. */
  readonly category?: string;
  /** Whether an agent can do without the tool. Default `optional`. */
  readonly optionality?: ToolOptionality;
  /** When to use the tool, in one sentence. */
  readonly usageHint?: string;
  /** Sample calls; each `input` is valid for the tool's `parameters`. */
  readonly examples?: readonly ToolExample[];
  /** The names of capabilities that must be present, each known to a capability checker. */
  readonly requires?: readonly string[];
  /** Words to search and filter by. */
  readonly tags?: readonly string[];
}

/** One sample call of a tool. */
export interface ToolExample {
  /** The request in a user's words. */
  readonly description: string;
  /** The arguments of the call. */
  readonly input: JsonObject;
  /** What the tool would answer. */
  readonly output?: string;
}

/** A model's request to run a tool. It is data from outside: `name` may be unknown and `arguments` may be malformed. */
export interface ToolCall {
  readonly type: 'tool-call';
  /** Not empty, and unique in its history. */
  readonly id: string;
  /** The name of the tool, as the model wrote it. */
  readonly name: string;
  /** The JSON text as received; blank means no arguments. The toolset that prepares the call parses it, once. */
  readonly arguments: string;
  /** Opaque data that goes back unchanged to the vendor that made it, and to no other. */
  readonly providerData?: JsonValue;
}

import type { JsonObject, JsonSchema, JsonValue } from './json.ts';

/**
 * Describes a tool to a model: the one type for that, from registry to wire.
 *
 * Frozen plain data: `JSON.parse(JSON.stringify(tool))` equals it. It bears no handler; `ToolBinding` of `@kernel/tools`
 * holds both. Encoders pick fields by name, so nothing else of the object ever reaches a wire.
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
  /** Asks a vendor to hold the model to the schema. Absent means no. */
  readonly strict?: boolean;
  /** What a call changes in the world. Absent counts as `external` wherever retry or approval is decided. */
  readonly effect?: ToolEffect;
  /** What helps a program or a person choose tools. Never sent to a model API. */
  readonly metadata?: ToolMetadata;
}

/**
 * What a call changes: nothing (`read`), the same thing however often it runs (`idempotent`), something of ours (`write`),
 * or something out of our hands (`external`).
 */
export type ToolEffect = 'read' | 'idempotent' | 'write' | 'external';

/** Whether an agent can do without a tool. `conditional` tools are offered only in turns where their condition holds. */
export type ToolOptionality = 'required' | 'optional' | 'conditional';

/** Facts for choosing tools (seed 003). Every field is optional; without metadata a tool counts as `optional`. */
export interface ToolMetadata {
  /** One of the standard categories (`code`, `vcs`, `build`, `research`, `publish`, `utility`) or any other word. */
  readonly category?: string;
  readonly optionality?: ToolOptionality;
  /** When to use the tool, in a sentence. */
  readonly usageHint?: string;
  /** Sample calls; each `input` validates against the tool's `parameters`. */
  readonly examples?: readonly ToolExample[];
  /** Names of capabilities that must be present, each known to a capability checker. */
  readonly requires?: readonly string[];
  readonly tags?: readonly string[];
}

/** One sample call of a tool. */
export interface ToolExample {
  /** The request in a user's words. */
  readonly description: string;
  readonly input: JsonObject;
  /** What the tool would answer. */
  readonly output?: string;
}

/** A model's request to run a tool. It is data from outside: `name` may be unknown and `arguments` may be broken. */
export interface ToolCall {
  readonly type: 'tool-call';
  /** Unique in its history. */
  readonly id: string;
  readonly name: string;
  /** Raw JSON text as received, parsed once, by the toolset that runs the call. */
  readonly arguments: string;
  /** Opaque data that goes back unchanged to the vendor that made it, and to no other. */
  readonly providerData?: JsonValue;
}

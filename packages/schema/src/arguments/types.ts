import type { KernelError, Tool, ToolRepair } from '@kernel/protocol';
import type { StandardResult } from '../standard-schema.ts';
import type { Validator } from '../validator/compile-schema.ts';

/** `off`: reject; `report`: reject and list the repairs that would have helped; `apply`: repair without loss and list the repairs. */
export type RepairPolicy = 'off' | 'report' | 'apply';

/** `strip`: remove them and tell the model; `reject`: reject the call; `passthrough`: pass them to the handler. */
export type UnknownProperties = 'strip' | 'reject' | 'passthrough';

/** A tool, and what its arguments are validated with. */
export interface ValidatedTool {
  /** The tool. */
  readonly tool: Tool;
  /** How its arguments are validated. */
  readonly input: {
    /** Returns the validator of `tool.parameters`. */
    readonly validator: () => Validator;
    /** The validation of the tool's schema library, if it has one. It decides last, and its output is what the handler gets. */
    readonly parse?: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;
  };
}

/** How arguments are validated. */
export interface ValidationPolicy {
  /** Whether near-valid arguments are repaired. */
  readonly repair: RepairPolicy;
  /** What happens to arguments that the schema does not mention. */
  readonly unknownProperties: UnknownProperties;
}

/** The outcome of validation: a handler's input or an error, never both. */
export interface ValidatedArguments {
  /** The handler's input. */
  readonly input?: unknown;
  /** The arguments as JSON, where a schema library made something else of them. */
  readonly json?: unknown;
  /** Why the handler cannot run. */
  readonly error?: KernelError;
  /** What was changed, or with the policy `report` could have been changed. */
  readonly repairs: readonly ToolRepair[];
  /** Sentences for the model about arguments that were removed. */
  readonly notes: readonly string[];
}

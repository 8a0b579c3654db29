import type { ToolContext, Tool } from '@kernel/protocol';
import type { Validator } from '../schema/compile-schema.ts';
import type { StandardResult } from './standard-schema.ts';

/**
 * A tool and what runs it: what a registry holds. Not a `Tool`: passing one where a `Tool` is wanted does not compile, so that
 * a handler never ends up in a request. `tool` is the very object that `list()` returns and providers get.
 */
export interface ToolBinding extends BindingOptions {
  readonly tool: Tool;
  readonly handler: ToolHandler;
  readonly input: InputCheck;
  /** Checks a successful result's `data`; absent without `outputSchema`. */
  readonly output?: () => Validator;
}

/**
 * Does a tool's work. Gets the checked input; returns a `ToolResult`, a string, any JSON value or nothing, now or later.
 * What it throws becomes a result that the model reads.
 */
export type ToolHandler<I = never> = (input: I, context: ToolContext) => unknown;

/** A tool's compiled validation. */
export interface InputCheck {
  /** The validator of `tool.parameters`, compiled at the first call of this function. */
  readonly validator: () => Validator;
  /** Set where another toolset reads the arguments: the handler gets their text as it came. */
  readonly raw?: true;
  /** The tool's own schema library, where it has one: it has the last word and makes the value that the handler gets. */
  readonly parse?: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;
}

/** How a tool is run. Every field beats the registry's and is beaten by a call's. */
export interface BindingOptions {
  /** From the handler's start, in milliseconds; `0` or `Infinity` means none. Default: the registry's, 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How many calls run at once, or that per key. Default: 1 for a `write` tool, else no limit. */
  readonly concurrency?: Concurrency | undefined;
  /** Whether near-valid arguments are mended. Default: the registry's, `apply`. */
  readonly repair?: RepairPolicy | undefined;
  /** What happens to arguments that the schema says nothing about. Default: the registry's, `strip`. */
  readonly unknownProperties?: UnknownProperties | undefined;
  /** How many characters of a result the model gets; `0` or `Infinity` means all. Default: the registry's. */
  readonly resultLimit?: number | undefined;
  /** How often a retryable failure of a `read` or `idempotent` tool is tried again. Default: the registry's, 0. */
  readonly retries?: number | undefined;
  /** Whether a `conditional` tool is offered in a turn; asked in `beginTurn`. One that throws counts as false. */
  readonly when?: ToolCondition | undefined;
}

/** A number limits all calls of the tool; `key` makes the limit one per key, from the checked arguments. */
export type Concurrency =
  | number
  | { readonly max?: number | undefined; readonly key?: ((input: never) => string) | undefined };

/** `off`: refuse; `report`: refuse and list what would have mended them; `apply`: mend without loss and list it. */
export type RepairPolicy = 'off' | 'report' | 'apply';

/** `strip`: leave them out and tell the model; `reject`: refuse; `passthrough`: hand them on. */
export type UnknownProperties = 'strip' | 'reject' | 'passthrough';

/** Says whether a `conditional` tool is of use in a turn. */
export type ToolCondition = (turn: {
  readonly turn: number;
  readonly conversation?: { readonly channel: string; readonly chatId: string } | undefined;
  readonly signal: AbortSignal;
}) => boolean | Promise<boolean>;

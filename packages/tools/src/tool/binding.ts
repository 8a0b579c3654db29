import {
  type CallContext,
  checkChoice,
  checkFunctions,
  checkKeys,
  checkNumber,
  type KeysOf,
  optionKeys,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolResult,
  type TurnContext,
} from '@kernel/protocol';
import type { RepairPolicy, UnknownProperties, ValidatedTool, Validator } from '@kernel/schema';
import type { ToolTypes } from './tool-types.ts';

/**
 * A tool and its handler: what a registry holds. Not a `Tool`, and not assignable to one, so that a handler can never end up in a request.
 */
export interface ToolBinding<
  Name extends string = string,
  Input = ToolTypes['input'],
  Data = ToolTypes['data'],
  Context = never,
> extends BindingOptions<never, Context> {
  /** The tool itself: the very object that `list()` returns and providers get. */
  readonly tool: Tool & {
    /** The tool's name, as a literal type. */
    readonly name: Name;
  };
  /** Does the work of the tool. */
  readonly handler: ToolHandler<never, Context>;
  /** Validates the arguments of a call. */
  readonly input: InputValidation;
  /** Whether the tool does nothing but run an agent. */
  readonly runsAgent?: boolean | undefined;
  /** Returns the validator of a successful result's `data`; absent without `outputSchema`. */
  readonly output?: () => Validator;
  /** The types of the tool, for the compiler only: never set. */
  readonly '~types'?: ToolTypes<Name, Input, Data, Context>;
}

/**
 * Does the work of a tool. Gets the validated input; returns a `ToolResult`, a string, any JSON value or nothing, directly, as a promise
 * or from an async generator, whose yields are progress. An error that it throws becomes a result that the model reads.
 */
export type ToolHandler<I = never, Context = unknown> = (input: I, context: ToolContext<Context>) => unknown;

/** How the arguments of a tool are validated. */
export interface InputValidation {
  /** Returns the validator of `tool.parameters`, compiled at the first call. */
  readonly validator: () => Validator;
  /** Set if another toolset runs the tool: prepares its call, given the id and the arguments as they were sent. */
  readonly forward?: (
    callId: string,
    text: string,
    context: CallContext,
  ) => PreparedCall | ToolResult | Promise<PreparedCall | ToolResult>;
  /** Whether somebody must allow a call, if the tool's own library decides that. Gets the validated input. */
  readonly needsApproval?: (input: object, context: ToolContext) => unknown;
  /** The validation of the tool's schema library, if it has one. It decides last, and its output is what the handler gets. */
  readonly parse?: NonNullable<ValidatedTool['input']['parse']>;
}

/** How a tool is run. Every option overrides the registry's, and is overridden by that of a call. */
export interface BindingOptions<Input = never, Context = unknown> {
  /** Time limit of the handler, in milliseconds; `0` or `Infinity` means none. Default: the registry's, 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How many calls run at once, in total or per key. Default: 1 for a `write` tool, else no limit. */
  readonly concurrency?: Concurrency<Input> | undefined;
  /** Whether near-valid arguments are repaired. Default: the registry's, `apply`. */
  readonly repair?: RepairPolicy | undefined;
  /** What happens to arguments that the schema does not mention. Default: the registry's, else `strip` for `read` and `idempotent` tools and `reject` for all others. */
  readonly unknownProperties?: UnknownProperties | undefined;
  /** How many characters of a result the model gets; `0` or `Infinity` means all. Default: the registry's. */
  readonly resultLimit?: number | undefined;
  /** How often a retryable failure of a `read` or `idempotent` tool is retried. Default: the registry's, 0. */
  readonly retries?: number | undefined;
  /** Whether a `conditional` tool is offered in a turn; called once a turn. If it throws, the tool is not offered. */
  readonly when?: ToolCondition<Context> | undefined;
}

/** A number limits all calls of the tool; with `key`, which gets the validated arguments, calls with the same key share a limit. */
export type Concurrency<Input = never> =
  | number
  | {
      /** How many calls run at once, of those with the same key. Default: 1 with a `key` and for tools that change something, otherwise no limit. */
      readonly max?: number | undefined;
      /** The key of a call, from its validated arguments. Default: all calls share one. */
      readonly key?: ((input: Input) => string) | undefined;
    };

export type { RepairPolicy, UnknownProperties };

/** Decides whether a `conditional` tool is offered in a turn. */
export type ToolCondition<Context = unknown> = (turn: TurnContext<Context>) => boolean | Promise<boolean>;

const REPAIR_POLICIES: readonly RepairPolicy[] = ['off', 'report', 'apply'];
const UNKNOWN_PROPERTIES: readonly UnknownProperties[] = ['strip', 'reject', 'passthrough'];

export const BINDING_KEYS: KeysOf<BindingOptions> = {
  timeoutMs: true,
  concurrency: true,
  repair: true,
  unknownProperties: true,
  resultLimit: true,
  retries: true,
  when: true,
};

const BINDING_OPTIONS = optionKeys<BindingOptions>(BINDING_KEYS);
const CONCURRENCY_OPTIONS = optionKeys<{ readonly max: number; readonly key?: unknown }>({ max: true, key: true });

export function checkBindingKeys(toolName: string, options: BindingOptions<never, never>): void {
  checkKeys(`Tool "${toolName}"`, options, BINDING_OPTIONS);
}

export function checkBindingOptions(toolName: string, options: BindingOptions<never, never>): void {
  const { concurrency } = options;
  const isObject = typeof concurrency === 'object' && concurrency !== null;
  const subject = `Tool "${toolName}"`;
  if (isObject) checkKeys(`${subject}, concurrency`, concurrency, CONCURRENCY_OPTIONS);
  checkSharedOptions(subject, options, isObject ? concurrency.max : concurrency);
  checkFunctions(subject, { when: options.when, 'concurrency.key': isObject ? concurrency.key : undefined });
}

export function checkSharedOptions(
  subject: string,
  options: Omit<BindingOptions, 'concurrency' | 'when'>,
  concurrency: unknown,
): void {
  checkNumber(subject, 'timeoutMs', options.timeoutMs, 0);
  checkNumber(subject, 'concurrency', concurrency, 1);
  checkNumber(subject, 'resultLimit', options.resultLimit, 0);
  checkNumber(subject, 'retries', options.retries, 0);
  checkChoice(subject, 'repair', options.repair, REPAIR_POLICIES);
  checkChoice(subject, 'unknownProperties', options.unknownProperties, UNKNOWN_PROPERTIES);
}

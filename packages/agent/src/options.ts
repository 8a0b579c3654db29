import {
  type Conversation,
  type Message,
  type ModelOptions,
  type PromptCache,
  type Provider,
  type ResponseFormat,
  type ToolChoice,
  type Tool,
  type Toolset,
  type Usage,
  type Approve,
  type Steering,
  type StepExecutor,
} from '@kernel/protocol';
import type { RunLimits } from './limits/run-limits.ts';
import type { OutputSchema } from './output/output-schema.ts';

/** Options of `run`. Everything else is a wrapper around `provider` or `tools`. */
export interface RunOptions<Context = unknown, Output = unknown> {
  /** Where requests are sent. */
  readonly provider: Provider;
  /** The name of the model. */
  readonly model: string;
  /** The conversation so far; never changed. If it ends with unanswered calls, the run starts with those calls. */
  readonly messages: readonly Message[];
  /** The tools on offer, and what runs them. */
  readonly tools?: Toolset<Context> | undefined;
  /** The system prompt; replaces any in `messages`. */
  readonly system?: string | undefined;
  /** Model options of every request of the run. */
  readonly options?: ModelOptions | undefined;
  /**
   * Whether the model may or must call tools. `required` and a tool name apply to the first turn only: a model that is forced in every turn never
   * answers. Default `auto`.
   */
  readonly toolChoice?: ToolChoice | undefined;
  /**
   * Asks for an answer that matches this schema: zod from 4.2, any Standard Schema with a JSON Schema, or a JSON Schema. The `run-end` then has
   * `output`: validated, with the defaults and transforms of the schema.
   *
   * The model is asked in the way that its provider reports as best: through the reply format, a tool `final_answer`, or instructions. An invalid
   * answer is sent back once, with the errors; after a second one, the run ends with `OUTPUT_INVALID`. The schema is prepared once per object.
   */
  readonly output?: OutputSchema<Output> | undefined;
  /** Asks for replies as JSON text that matches a schema. For a validated answer, use `output`. */
  readonly responseFormat?: ResponseFormat | undefined;
  /**
   * How the vendor's prompt cache is used: for how long, up to which point, under which key. Default `auto`: cache points are set where the vendor
   * expects them.
   */
  readonly cache?: PromptCache | undefined;
  /**
   * Called before each turn, to change its model, provider, tools, options or messages. It runs within the step `model:<turn>`: a replay that has the
   * reply of a turn does not call it again.
   */
  readonly prepareTurn?: PrepareTurn<Context> | undefined;
  /** Limits of the run. Default: 25 turns, and the guard against repeated calls. */
  readonly limits?: RunLimits | undefined;
  /** Aborts the run and everything in flight. */
  readonly signal?: AbortSignal | undefined;
  /** Passed to every handler in its context. */
  readonly conversation?: Conversation | undefined;
  /**
   * The `context` that handlers, conditions, hooks, `approve` and sub-agents of this run receive, such as a database or the current user. It is never
   * sent to a model and is in no event. One registry serves runs with different contexts.
   */
  readonly context?: NoInfer<Context> | undefined;
  /**
   * Identifies the run across processes. Together with the id of a call it forms the call's idempotency key, so that a call that is repeated after a
   * crash has the same key. Default: the session's id in `runSession`, otherwise an id that the first step of each batch creates. Within the handler
   * of a call, runs with the same id are numbered in the order in which they start (`<id>#2`), and keys contain a digest of the call, since the model
   * may be asked again.
   */
  readonly runId?: string | undefined;
  /** Decides on calls of tools with any effect but `read`. Without it every call runs. */
  readonly approve?: Approve<Context> | undefined;
  /**
   * How long `approve` may take to decide, in milliseconds. After that, the call is denied, and its result says so. Sub-agents inherit it with
   * `approve`. Default: no limit.
   */
  readonly approvalTimeoutMs?: number | undefined;
  /** Adds messages to a run in progress: `createSteering()`. */
  readonly steering?: Steering | undefined;
  /** Executes the steps of the run, for example to record them in a journal. Default `inProcessSteps`. */
  readonly steps?: StepExecutor | undefined;
  /** False asks the provider for whole replies instead of streams. */
  readonly stream?: boolean | undefined;
}

/** Requires `context` if a tool or hook needs one. */
export type RequiredContext<Context> = undefined extends Context
  ? unknown
  : {
      /** What tools and hooks get as `context`. */
      readonly context: NoInfer<Context>;
    };

/** The state that `prepareTurn` decides on. */
export interface TurnState<Context = unknown> {
  /** The number of the turn, from 1. */
  readonly turn: number;
  /** The history as the model would get it. Frozen, like the other lists: return the changes. */
  readonly messages: readonly Message[];
  /** The tokens that the run has used so far. */
  readonly usage: Usage;
  /** The tools on offer. */
  readonly tools: readonly Tool[];
  /** The `context` of the run. */
  readonly context?: Context | undefined;
  /** Aborts when the run does. */
  readonly signal: AbortSignal;
}

/** The changes of `prepareTurn`, for one turn. Whatever is left out stays as the run has it. */
export interface TurnChanges {
  /** Asks another provider. */
  readonly provider?: Provider | undefined;
  /** Asks another model. */
  readonly model?: string | undefined;
  /** Offers only the tools with these names. Calls of others do not run. */
  readonly tools?: readonly string[] | undefined;
  /** Whether the model may or must call tools in this turn. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Model options, in place of those of the run. */
  readonly options?: ModelOptions | undefined;
  /** Asks for a reply as JSON that matches a schema. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** How the vendor's prompt cache is used. */
  readonly cache?: PromptCache | undefined;
  /** What the model gets as the conversation. The history stays as it is. */
  readonly messages?: readonly Message[] | undefined;
}

/** Changes the request of a turn. Returns nothing to leave it unchanged. It has no timeout of its own: `limits.timeMs` ends it. */
export type PrepareTurn<Context = unknown> = (
  state: TurnState<Context>,
) => TurnChanges | undefined | void | Promise<TurnChanges | undefined | void>;

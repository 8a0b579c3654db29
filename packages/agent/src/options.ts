import {
  type Conversation,
  type Message,
  type ModelOptions,
  type PromptCache,
  type Provider,
  type ResponseFormat,
  type ToolChoice,
  type Toolset,
  type Approve,
  type Steering,
  type StepExecutor,
} from '@kernel/protocol';
import type { RunLimits } from './limits/run-limits.ts';
import type { PrepareTurn } from './turn/prepare-turn.ts';
import type { OutputSchema } from './output/output-schema.ts';

/** What a run needs. Everything else is a wrapper around `provider` or `tools`. */
export interface RunOptions<Context = unknown, Output = unknown> {
  /** Where requests are sent. */
  readonly provider: Provider;
  /** The name of the model. */
  readonly model: string;
  /** The conversation so far; never changed. A history that ends with unanswered calls goes on with them. */
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
   * Asks for an answer of this schema: zod from 4.2, any Standard Schema with a JSON Schema, or a JSON Schema. The `run-end` then has `output`:
   * validated, with the defaults and transforms of the schema.
   *
   * The model is asked in the way its provider reports as best: by the format of the reply, by a tool `final_answer`, or by instructions. An answer
   * that does not fit is sent back once, with what is wrong; then the run ends with `OUTPUT_INVALID`. The schema is prepared once per object.
   */
  readonly output?: OutputSchema<Output> | undefined;
  /** Asks for replies in JSON of a schema, as text. For an answer that is validated, use `output`. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** How the vendor's prompt cache is used: how long, up to where, under which key. Default `auto`: marks where the vendor wants them. */
  readonly cache?: PromptCache | undefined;
  /**
   * Called before each turn, to change its model, provider, tools, options or messages. It runs within the step `model:<turn>`: a replay that has the
   * reply of a turn does not call it again.
   */
  readonly prepareTurn?: PrepareTurn<Context> | undefined;
  /** What the run may use. Default: 25 turns, and the guard against repeats. */
  readonly limits?: RunLimits | undefined;
  /** Aborts the run and everything in flight. */
  readonly signal?: AbortSignal | undefined;
  /** Passed to every handler in its context. */
  readonly conversation?: Conversation | undefined;
  /**
   * What handlers, conditions, hooks, `approve` and sub-agents of this run get as `context`, such as a database or the user who asks. Never sent to a
   * model, and in no event. One registry serves runs with different contexts.
   */
  readonly context?: NoInfer<Context> | undefined;
  /**
   * Identifies the run beyond its process. With the id of a call it makes the call's idempotency key, so that a call that is repeated after a
   * crash has the same key. Default: the session's id in `runSession`, otherwise an id that the first step of each batch makes.
   * Within the handler of a call, runs of the same id are told apart in the order in which they start (`<id>#2`), and keys contain a digest of the
   * call, since the model may be asked again.
   */
  readonly runId?: string | undefined;
  /** Decides on calls of tools with any effect but `read`. Without it every call runs. */
  readonly approve?: Approve<Context> | undefined;
  /**
   * How long a decision of `approve` may take, in milliseconds. A later answer denies, and the result of the call says so. Sub-agents
   * inherit it with `approve`. Default: no limit.
   */
  readonly approvalTimeoutMs?: number | undefined;
  /** Sends messages into the run while it goes on: `createSteering()`. */
  readonly steering?: Steering | undefined;
  /** Executes the steps of the run, for example to record them in a journal. Default `inProcessSteps`. */
  readonly steps?: StepExecutor | undefined;
  /** False asks the provider for whole replies instead of streams. */
  readonly stream?: boolean | undefined;
}

/** What the options of a run need besides: a `context`, where its tools or hooks need one. */
export type RequiredContext<Context> = undefined extends Context ? unknown : { readonly context: NoInfer<Context> };

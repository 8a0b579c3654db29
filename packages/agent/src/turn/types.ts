import type {
  Message,
  ModelOptions,
  PromptCache,
  Provider,
  ResponseFormat,
  Tool,
  ToolCall,
  ToolChoice,
  Usage,
} from '@kernel/protocol';
import type { TypedOutput } from '../output/typed-output.ts';
import type { CallBatch } from '../calls/call-batch.ts';
import type { RunCallContext } from '../calls/run-call-context.ts';
import type { Inbox } from '../loop/inbox.ts';
import type { createToolSelection, PrepareTurn } from './prepare-turn.ts';

/** What every request of a run has besides its messages and tools. */
export interface ModelSettings {
  /** The name of the model. */
  readonly model: string;
  /** The model options. */
  readonly options?: ModelOptions | undefined;
  /** Whether the model may or must call tools; a forced choice applies to the first turn only. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Asks for replies in JSON of a schema. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** How the vendor's prompt cache is used. */
  readonly cache?: PromptCache | undefined;
  /** False asks for a whole reply instead of a stream. */
  readonly stream?: boolean | undefined;
}

/** What the model turns of a run share. */
export interface ModelResources {
  /** Where requests are sent. */
  readonly provider: Provider;
  /** What every request says. */
  readonly settings: ModelSettings;
  /** What reaches the run from outside. */
  readonly inbox: Inbox;
  /** Begins a turn of the toolset and returns the tools on offer in it. */
  offeredTools(turn: number, signal: AbortSignal): Promise<readonly Tool[]>;
  /** Makes the batch of a reply's calls, given the tools that were on offer. With `isRestricted`, calls of others do not run. */
  createBatch(calls: readonly ToolCall[], offered: readonly Tool[], isRestricted?: boolean): CallBatch;
  /** Decides on the request of each turn. */
  readonly prepareTurn: PrepareTurn | undefined;
  /** Picks tools by name. */
  readonly selectTools: ReturnType<typeof createToolSelection>;
  /** Passed to `prepareTurn`. */
  readonly callContext: RunCallContext;
  /** The typed answer. Absent where none was asked for. */
  readonly output: TypedOutput | undefined;
}

/** One turn of the model. */
export interface ModelTurn {
  /** Counted from 1. */
  readonly number: number;
  /** The history so far. */
  readonly messages: readonly Message[];
  /** The ids of all calls in `messages`. */
  readonly callIds: ReadonlySet<string>;
  /** What the run has used so far. */
  readonly usage: Usage;
  /** False for a closing turn, which offers no tools. */
  readonly offersTools: boolean;
  /** Whether the reply before it paused: the vendor continues that reply, and what has come in waits. */
  readonly isPaused: boolean;
}

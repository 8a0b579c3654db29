/** What this package sends of the AG-UI protocol, version 1: a union on `type`. */
export type AgUiEvent =
  | { readonly type: 'RUN_STARTED'; readonly threadId: string; readonly runId: string }
  | AgUiRunFinished
  | {
      readonly type: 'RUN_ERROR';
      readonly message: string;
      readonly code: string;
      readonly usage?: readonly AgUiUsage[];
    }
  | AgUiAgentEvent
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly parentSubagentRunId?: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly outcome: { readonly type: 'success' | 'suspended' };
    }
  | {
      readonly type: 'SUBAGENT_ERROR';
      readonly subagentRunId: string;
      readonly message: string;
      readonly code?: string;
    };

/** What the run itself or a sub-agent says and does. */
export type AgUiAgentEvent = AgUiAttributable &
  (
    | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
    | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' }
    | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
    | {
        readonly type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END';
        readonly messageId: string;
      }
    | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
    | { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
    | {
        readonly type: 'TOOL_CALL_START';
        readonly toolCallId: string;
        readonly toolCallName: string;
        readonly parentMessageId?: string;
      }
    | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
    | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
    | {
        readonly type: 'TOOL_CALL_RESULT';
        readonly messageId: string;
        readonly toolCallId: string;
        readonly content: string;
        readonly role: 'tool';
      }
    | { readonly type: 'CUSTOM'; readonly name: string; readonly value: unknown }
  );

/** An event of the run, or of a sub-agent. */
export interface AgUiAttributable {
  /** The agent. Absent for the run itself. */
  readonly subagentRunId?: string;
}

/** The end of a run that did not fail. */
export interface AgUiRunFinished {
  readonly type: 'RUN_FINISHED';
  /** The conversation. */
  readonly threadId: string;
  /** The run. */
  readonly runId: string;
  /** The reason of the `run-end`, with the answer or the typed answer. */
  readonly result: unknown;
  /** Whether it finished, waits for decisions, or was aborted. */
  readonly outcome:
    | {
        /** `cancelled` if the run was aborted, otherwise `success`; a limit that was reached counts as success too. */
        readonly type: 'success' | 'cancelled';
      }
    | {
        readonly type: 'interrupt';
        /** The calls that wait for a decision, in order. */
        readonly interrupts: readonly AgUiInterrupt[];
      };
  /** The tokens of the run, if the server shows `usage`. */
  readonly usage?: readonly AgUiUsage[];
}

/** A call that waits for a decision. */
export interface AgUiInterrupt {
  /** The id that an answer repeats; it holds the digest of what is shown. */
  readonly id: string;
  /** Why the run waits. */
  readonly reason: 'approval';
  /** What is asked. */
  readonly message: string;
  /** The call. */
  readonly toolCallId: string;
  /** The JSON Schema of an answer. */
  readonly responseSchema: Readonly<Record<string, unknown>>;
}

/** The tokens of a run, in the words of AG-UI. */
export interface AgUiUsage {
  /** All input tokens. */
  readonly inputTokens: number;
  /** All output tokens. */
  readonly outputTokens: number;
  /** The output tokens of reasoning. */
  readonly reasoningTokens?: number;
  /** The input tokens that were read from the vendor's cache. */
  readonly cachedInputTokens?: number;
  /** The input tokens that were written to the vendor's cache. */
  readonly cacheWriteInputTokens?: number;
}

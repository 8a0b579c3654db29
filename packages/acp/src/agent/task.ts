import type { Redactor } from '@kernel/internal';
import type { ToolCall } from '@kernel/protocol';

/** A decision on a request: that it is allowed, or the reason why it is not. */
export type Decision = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

/** What an agent is given to do, in a run. */
export interface AgentTask {
  readonly text: string;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly onProgress: (update: string) => void;
  /** The decision on the same call before the agent began anew; undefined if there is none. */
  readonly earlierDecision: (call: ToolCall) => Decision | undefined;
  /** The number of the first request. */
  readonly firstRequest: number;
}

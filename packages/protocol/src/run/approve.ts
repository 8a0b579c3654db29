import type { Tool, ToolCall } from '../tool.ts';

/**
 * Decides on a call before any call of its batch runs. A throw, an answer after `approvalTimeoutMs` and an abort count as a denial.
 *
 * It is called again if the tool or the arguments change before the call runs.
 */
export type Approve<Context = unknown> = (request: {
  /** The call. Its `arguments` are those that the handler would get: parsed, repaired and stripped, as JSON text. */
  readonly call: ToolCall;
  /** The tool that it would run. */
  readonly tool: Tool;
  /** The ids of the calls of agents around it, outermost first; empty for a call of the run itself. Call ids only, unlike `SubAgentEvent.path`. */
  readonly path: readonly string[];
  /** Identifies what is decided on, as in `PendingCall`: equal exactly as long as the tool and the arguments are. */
  readonly digest: string;
  /** The `context` of the run. */
  readonly context?: Context | undefined;
  /** Aborts when an answer would come too late. */
  readonly signal: AbortSignal;
}) => ApprovalDecision | Promise<ApprovalDecision>;

/**
 * A decision on a call. `edit` runs the call with other arguments (JSON text); `later` ends the run with reason `approval`. An `allow` with
 * the `digest` of a pending call counts only if that call is still the same; otherwise the call stays pending.
 */
export type ApprovalDecision =
  /** Runs the call. */
  | { readonly decision: 'allow'; readonly digest?: string | undefined }
  /** Does not run it. The model reads the reason. */
  | { readonly decision: 'deny'; readonly reason: string }
  /** Runs it with these arguments, JSON text that is validated again. */
  | { readonly decision: 'edit'; readonly arguments: string }
  /** Decides later: the run ends with reason `approval`, and the call is pending. */
  | { readonly decision: 'later' };

import type { JsonValue } from './json.ts';
import type { Tool, ToolCall } from './tool.ts';

/** A call that waits for a decision. As a call, its `arguments` are those that the handler would get, as JSON text. */
export interface PendingCall extends ToolCall {
  /** The tool that the call would run. */
  readonly tool: Tool;
  /** The ids of the calls of agents around it, outermost first; empty for a call of the run itself. Call ids only, unlike `SubAgentEvent.path`. */
  readonly path: readonly string[];
  /** Identifies what is decided on: the tool's name, description, schema, effect, and the given and shown arguments. */
  readonly digest: string;
}

/** A decision on a call, recorded until the call runs. */
export type RecordedDecision =
  /** The call runs. */
  | { readonly decision: 'allow' }
  /** It does not run. The model reads the reason. */
  | { readonly decision: 'deny'; readonly reason: string }
  /** It runs with these arguments, JSON text. */
  | { readonly decision: 'edit'; readonly arguments: string };

/** What a run that ended with `approval` stores about a call without a result, so that a later run can continue from there. */
export interface SuspendedCall {
  /** The id of the call. */
  readonly callId: string;
  /** The decision on the call, if there is one already. */
  readonly decision?: RecordedDecision;
  /** What the decision holds for, as in `PendingCall`: if this has changed, the call needs a new decision. */
  readonly digest?: string;
  /** Whether the call was pending at the end of a run before the decision, so that a client knows of it. */
  readonly wasPending?: boolean;
  /** The agents that the call runs, where calls of theirs wait for a decision. */
  readonly agents?: readonly SuspendedAgent[];
}

/** An agent that waits for a decision on calls of its own. */
export interface SuspendedAgent {
  /** The name of the agent. */
  readonly name: string;
  /** What it was asked to do. */
  readonly task: string;
  /** Its messages so far, as JSON. */
  readonly messages: readonly JsonValue[];
}

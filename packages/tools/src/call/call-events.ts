import type { KernelErrorCode, ToolOutcome, ToolRepair, ToolResult } from '@kernel/protocol';

/** An event of a call. Carries arguments and results only if the registry was created with `detail: true`. */
export type CallEvent = CallStart | CallProgress | CallEnd | CallLate;

/** A call was received. */
export interface CallStart {
  /** Discriminates the union. */
  readonly type: 'call-start';
  /** The tool's name. */
  readonly name: string;
  /** The call's id. */
  readonly callId: string;
  /** The arguments, not parsed; only with `detail`. */
  readonly arguments?: unknown;
}

/** A running tool reported progress. */
export interface CallProgress {
  /** Discriminates the union. */
  readonly type: 'call-progress';
  /** The tool's name. */
  readonly name: string;
  /** The call's id. */
  readonly callId: string;
  /** The tool's own text. */
  readonly update: string;
}

/** A call ended. There is exactly one for each `call-start`. */
export interface CallEnd {
  /** Discriminates the union. */
  readonly type: 'call-end';
  /** The tool's name. */
  readonly name: string;
  /** The call's id. */
  readonly callId: string;
  /** Time since the call was received, in milliseconds. */
  readonly durationMs: number;
  /** Whether the result is an error. */
  readonly isError: boolean;
  /** What became of the call. */
  readonly outcome: ToolOutcome;
  /** Set if the tool goes on working in the background. */
  readonly async?: boolean;
  /** The error code of a failure. */
  readonly code?: KernelErrorCode;
  /** What was changed in the arguments. */
  readonly repairs?: readonly ToolRepair[];
  /** The result; only with `detail`. */
  readonly result?: ToolResult;
}

/** Something happened after the end of a call. */
export interface CallLate {
  /** Discriminates the union. */
  readonly type: 'call-late';
  /** The tool's name. */
  readonly name: string;
  /** The call's id. */
  readonly callId: string;
  /**
   * `abandoned`: a handler that had been abandoned has settled. `completed`: the outcome of an async tool was delivered. `orphan`: nothing was
   * waiting for the outcome. `repeated`: an async tool sent more than one outcome; this one is ignored.
   */
  readonly kind: 'abandoned' | 'completed' | 'orphan' | 'repeated';
  /** Whether the handler or outcome failed. */
  readonly isError: boolean;
  /** Time since the call was received, in milliseconds; 0 if nothing listened then. */
  readonly durationMs: number;
  /** The outcome; only with `detail`. */
  readonly result?: ToolResult;
}

/** Receives the events of calls. */
export interface CallEventSink {
  /** Whether anything listens to calls. Events are created only if so. */
  readonly hasCallListeners: boolean;
  /** Delivers an event. Never throws. */
  emit(event: CallEvent): void;
}

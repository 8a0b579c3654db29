import type { KernelErrorCode, ToolOutcome, ToolRepair, ToolResult } from '@kernel/protocol';
import type { NamedTools, ResultOf } from '../tool/tool-types.ts';

/**
 * An event of a call, of one of `Tools`. Carries arguments and results only if the registry was created with `detail: true`.
 *
 * A call of a name that is not registered, or was registered later, is reported with that name, which is not among the names in the type.
 */
export type CallEvent<Tools extends NamedTools = NamedTools> = {
  [Name in keyof Tools & string]: {
    /** The tool's name. */
    readonly name: Name;
    /** The call's id. */
    readonly callId: string;
  } & (
    | {
        /** A call was received. */
        readonly type: 'call-start';
        /** The arguments as they came, not parsed; only with `detail`. */
        readonly arguments?: unknown;
      }
    | {
        /** A running tool reported progress. */
        readonly type: 'call-progress';
        /** The tool's own text. */
        readonly update: string;
      }
    | {
        /** A call ended. There is exactly one for each `call-start`. */
        readonly type: 'call-end';
        /** Time since the call was received, in milliseconds. */
        readonly durationMs: number;
        /** Whether the result is an error. */
        readonly isError: boolean;
        /** What became of the call. */
        readonly outcome: ToolOutcome;
        /** Set if the tool continues to work in the background. */
        readonly async?: boolean;
        /** The error code of a failure. */
        readonly code?: KernelErrorCode;
        /** What was changed in the arguments. */
        readonly repairs?: readonly ToolRepair[];
        /** The parsed, repaired and stripped arguments; only with `detail`, and not for a refused call. */
        readonly arguments?: Tools[Name]['input'];
        /** The result; only with `detail`. */
        readonly result?: ResultOf<Tools[Name]>;
      }
    | {
        /** Something happened after the end of a call. */
        readonly type: 'call-late';
        /**
         * `abandoned`: a handler that had been abandoned has settled. `completed`: the late result of an async tool was
         * delivered. `orphan`: nothing was waiting for it. `repeated`: an async tool sent more than one; this one is
         * ignored.
         */
        readonly kind: 'abandoned' | 'completed' | 'orphan' | 'repeated';
        /** Whether the handler failed, or the late result is a failure. */
        readonly isError: boolean;
        /** Time since the call was received, in milliseconds; 0 if nothing listened then. */
        readonly durationMs: number;
        /** The late result; only with `detail`. */
        readonly result?: ToolResult;
      }
  );
}[keyof Tools & string];

export interface CallEventSink {
  /** Whether anything listens to calls. Events are created only if so. */
  hasCallListeners(): boolean;
  /** Delivers an event. Never throws. */
  emit(event: CallEvent): void;
}

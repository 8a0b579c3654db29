import type { RunLimits } from '@kernel/agent';
import type { JsonValue, Sandbox, SandboxLimits, ToolEffect } from '@kernel/protocol';

/** What a program may use. Absent limits have the defaults that are named. */
export interface CodeModeLimits extends Partial<SandboxLimits>, Pick<RunLimits, 'tokens' | 'cost' | 'callsPerTool'> {
  /** Memory in bytes. Default 64 MiB. */
  readonly memoryBytes?: number;
  /** Time in which the program computes, in milliseconds. Default 5,000. */
  readonly computeMs?: number;
  /** Bytes of the stack. Default 256 KiB. */
  readonly stackBytes?: number;
  /** Calls of tools in all. Default 1,000. */
  readonly calls?: number;
  /** Calls that run at once; the others wait. Default 16. */
  readonly callsAtOnce?: number;
  /** The characters of the output, of the arguments of calls made at once, and of the values that are kept, each. Default 100,000. */
  readonly outputCharacters?: number;
  /** How long it may sleep in all, in milliseconds. Default 30,000. */
  readonly sleepMs?: number;
  /** Wall time in milliseconds, waiting for calls included, but not for decisions that are made later. Default: no limit. */
  readonly timeMs?: number;
}

/** Where the values that programs store are kept beyond their process. */
export interface ProgramValues {
  /** Returns what `save` got last for a run; undefined if nothing. */
  load(runId: string): Promise<Readonly<Record<string, JsonValue>> | undefined>;
  /** Keeps all values of a run. Awaited before the result of the program is there. */
  save(runId: string, values: Readonly<Record<string, JsonValue>>): Promise<void>;
}

/** Options of `withCodeMode`. */
export interface CodeModeOptions {
  /** The names of the tools that the model still calls itself. Default: none. */
  readonly direct?: readonly string[] | undefined;
  /** The name of the tool that runs programs. Default `run_code`. */
  readonly name?: string | undefined;
  /** Where programs run. Default: QuickJS in a worker of its own. */
  readonly sandbox?: Sandbox | undefined;
  /** Where values of `store` are kept for runs that have a `runId` and continue in another process. Default: in memory, as long as the run. */
  readonly values?: ProgramValues | undefined;
  /** What a program may use. */
  readonly limits?: CodeModeLimits | undefined;
  /**
   * The effect of running a program. Default: the strongest effect of the tools that it can call, so that programs are asked about, and then each of their calls.
   * `read` asks about the calls alone.
   */
  readonly effect?: ToolEffect | undefined;
}

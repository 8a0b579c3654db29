import type { JsonValue } from '../json.ts';

/**
 * The port to what runs a program that a model wrote, such as QuickJS in a worker. The program sees the tools of `SandboxProgram.tools` and nothing else
 * of the host. Policies are wrappers `Sandbox → Sandbox`.
 */
export interface Sandbox {
  /** Starts a program: nothing of it runs before the first `resume`. Rejects with `CONFIG_INVALID` where the sandbox cannot run here. */
  start(program: SandboxProgram): Promise<SandboxRun>;
  /** Releases what is kept for the next program. A program that runs goes on. */
  close?(): Promise<void>;
}

/** A program to run. The same program with the same results of its calls takes the same path, whenever and wherever it runs. */
export interface SandboxProgram {
  /** JavaScript: the body of an async function. */
  readonly source: string;
  /** What it can call. */
  readonly tools: readonly SandboxTool[];
  /** What its clock shows when it starts, in milliseconds since 1970. Only `sleep` moves the clock. */
  readonly startedAt: number;
  /** What its random numbers are made from: a whole number from 0 to 2³² − 1. */
  readonly seed: number;
  /** The values of earlier programs, by key. */
  readonly stored: Readonly<Record<string, JsonValue>>;
  /** What it may use. */
  readonly limits: SandboxLimits;
  /** Ends it, within 50 ms, whatever it does. */
  readonly signal: AbortSignal;
}

/** A tool as a program sees it. */
export interface SandboxTool {
  /** The name of the tool: `tools[name]`. */
  readonly name: string;
  /** The same tool under a name that needs no brackets. */
  readonly alias?: string | undefined;
  /** What `describe_tool` returns. */
  readonly declaration: string;
}

/** What a program may use. */
export interface SandboxLimits {
  /** Memory in bytes. */
  readonly memoryBytes: number;
  /** Time in which it computes, in milliseconds; waiting for calls does not count. */
  readonly computeMs: number;
  /** Bytes of the stack. */
  readonly stackBytes: number;
  /** Calls of tools in all. */
  readonly calls: number;
  /** The characters of its output, of the arguments of a batch of calls, and of the values that it keeps, each. */
  readonly outputCharacters: number;
  /** How long it may sleep in all, in milliseconds. */
  readonly sleepMs: number;
}

/** A program that was started. */
export interface SandboxRun {
  /**
   * Gives the results of the calls of the last state, in their order, none at first, and runs the program until it waits or has ended. Rejects with
   * `signal.reason` after an abort, and with `TOOL_FAILED` if the sandbox itself fails. Not called again before it has settled.
   */
  resume(results: readonly SandboxResult[]): Promise<SandboxState>;
  /** Ends the program and releases what it holds. Calling it twice is safe. */
  close(): void;
}

/** How a call ended. */
export type SandboxResult =
  | {
      /** What the promise of the call resolves to, as JSON text. */
      readonly value: string;
    }
  | {
      /** The message of the error that the promise of the call rejects with. */
      readonly error: string;
    };

/** Where a program is: it waits for calls or until a time, or it has ended. */
export type SandboxState =
  | {
      readonly type: 'calls';
      /** The calls that it has made since the last state. It goes on when all of them have a result. */
      readonly calls: readonly SandboxCall[];
    }
  | {
      readonly type: 'sleep';
      /** How long, in milliseconds. It goes on with the next `resume([])`. */
      readonly sleepMs: number;
    }
  | SandboxEnd;

/** One call of a program. */
export interface SandboxCall {
  /** The name of the tool. */
  readonly name: string;
  /** Its input, as JSON text. */
  readonly input: string;
}

/** How a program ended. */
export interface SandboxEnd {
  readonly type: 'end';
  /** What it wrote, in order. */
  readonly output: readonly SandboxOutput[];
  /** What it returned, as JSON text. */
  readonly value?: string;
  /** What it threw, or the limit that ended it, with the lines of the program. */
  readonly error?: string;
  /** The values that it kept, with those of earlier programs. */
  readonly stored: Readonly<Record<string, JsonValue>>;
}

/** A piece of output: a text, or an image in base64. */
export type SandboxOutput =
  | {
      /** The text. */
      readonly text: string;
    }
  | {
      /** The media type, such as `image/png`. */
      readonly mimeType: string;
      /** The bytes in base64. */
      readonly data: string;
    };

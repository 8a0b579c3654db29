/**
 * The terminals of an editor, in which commands run where the user sees them: a client of the Agent Client Protocol with `terminal`, for example.
 *
 * Every call has a time limit, and what it answers is checked. A command that was started is always killed and released: at its end, on a timeout and on an
 * abort. What `run_command` cannot check is that the editor runs the words as they are: one that gives them to a shell has to quote each.
 */
export interface Terminals {
  /**
   * Whether who has the terminals decides on each command and isolates it, as an agent does that has started this one as its tool: then the words are given as they are,
   * without variables, and no time limit holds for starting one. `isolation: 'required'` uses no such terminals. Default false.
   */
  readonly decidesOnCommands?: boolean | undefined;
  /** Starts a command. Rejects if it cannot be started. */
  start(command: TerminalCommand, options: TerminalOptions): Promise<RunningTerminal>;
}

/** A command to run in a terminal. */
export interface TerminalCommand {
  /** The program. */
  readonly program: string;
  /** Its arguments, which no shell interprets. */
  readonly args: readonly string[];
  /** Its working directory, absolute. */
  readonly cwd: string;
  /** Its environment variables. Others that the editor adds do not reach the command, except on Windows. */
  readonly variables: Readonly<Record<string, string>>;
  /** How much of its output is to be kept, in bytes: the last part. */
  readonly maxOutputBytes: number;
}

/** What a command in a terminal belongs to. */
export interface TerminalOptions {
  /** The id of the call that it runs for. */
  readonly callId: string | undefined;
  /** Aborts starting it. A terminal that is there later all the same is released. */
  readonly signal: AbortSignal;
}

/** A command that was started in a terminal. */
export interface RunningTerminal {
  /** Returns the output so far, or its last part. */
  output(): Promise<TerminalOutput>;
  /** Resolves when the command has ended. */
  readonly ended: Promise<TerminalEnd>;
  /** Ends the command; its output can still be read. */
  kill(): Promise<void>;
  /** Ends the command if it runs, and frees the terminal. It is called once, last, on every path. */
  release(): Promise<void>;
}

/** The output of a command in a terminal. */
export interface TerminalOutput {
  /** The text. */
  readonly text: string;
  /** Whether its beginning was dropped. */
  readonly isTruncated: boolean;
}

/** How a command in a terminal ended. */
export interface TerminalEnd {
  /** The exit code, unless a signal ended it. */
  readonly exitCode?: number | null | undefined;
  /** The signal that ended it. */
  readonly signal?: string | null | undefined;
}

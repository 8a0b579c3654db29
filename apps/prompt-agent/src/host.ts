/** What the program gets from outside: the only door to arguments, environment and standard streams. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

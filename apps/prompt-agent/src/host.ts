/** What the program gets from outside. Nothing else reads arguments, environment or standard streams. */
export interface Host {
  /** The arguments, without the program's own path. */
  readonly argv: readonly string[];
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder, absolute. */
  readonly cwd: string;
  /** The user's home folder, absolute. */
  readonly home: string;
  /** Read only to ask a person; `isTTY` says whether there is one. */
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  /** Receives the answer. */
  readonly stdout: NodeJS.WritableStream;
  /** Receives everything else. */
  readonly stderr: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly rows?: number;
    readonly columns?: number;
  };
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

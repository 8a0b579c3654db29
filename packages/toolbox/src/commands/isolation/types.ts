/** A command to run in isolation. */
export interface IsolationRequest {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The folder that it may read and write, absolute and without links. */
  readonly folder: string;
  /** Its working directory: the folder or one below it. */
  readonly cwd: string;
  /** Its environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether it may use the network, loopback included. */
  readonly network: boolean;
  /** Folders and files that it may read in addition to the system's, as absolute paths. */
  readonly readable: readonly string[];
  /** Existing files and folders within the folder that it must neither see the content of nor replace, as absolute paths. */
  readonly hidden: readonly string[];
  /** Whether it may change the folder's repository, or make one. Where it may not, there is a `.git` when it starts. */
  readonly gitWritable: boolean;
  /** Whether it is to run in a terminal of an editor, which has no other descriptors and ends it by a signal: without `announcesStart` and `stop`. */
  readonly inTerminal?: boolean | undefined;
}

/** The command that is started instead. */
export interface IsolatedCommand {
  /** The program, an absolute path. */
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Its environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Whether it writes an empty line to its descriptor 3 right before the command starts, and after its end the name of each process that it left running, a line
   * each. A text: it writes that text, which nobody can guess, as a line to its standard error instead, and what came before is not output of the command. The time limit counts
   * from that first line, so that it does not include what setting up the isolation takes; where it never comes, the command did not start. Default
   * false: the limit counts from the start of the program, and what is left running is looked for in its process group.
   */
  readonly announcesStart?: boolean | string | undefined;
  /** The limits that a result names which looks as if one was reached, such as `4096 processes`. Default: none. */
  readonly limits?: string | undefined;
  /** Stops what a signal to the started process does not reach, such as a container. */
  readonly stop?:
    | {
        /** The program that stops it. */
        readonly program: string;
        /** The arguments of that program. */
        readonly args: readonly string[];
      }
    | undefined;
}

/** A way to run a command so that it reads and writes only what it is given. */
export interface Isolation {
  /** Its name in results and warnings. */
  readonly name: string;
  /** Whether it isolates commands in the terminals of an editor too: `wrap` heeds `inTerminal`. Default false: they run in processes of this program. */
  readonly worksInTerminals?: boolean | undefined;
  /** Returns what to start for a command. */
  wrap(request: IsolationRequest): IsolatedCommand;
}

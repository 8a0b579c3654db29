/** A command that is to run where it can do no harm. */
export interface IsolationRequest {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The folder that it may read and write, absolute and without links. */
  readonly folder: string;
  /** Where it starts: the folder or one below it. */
  readonly cwd: string;
  /** The variables of its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether it may use the network, loopback included. */
  readonly network: boolean;
  /** Folders and files besides those of the system that it may read, absolute. */
  readonly readable: readonly string[];
  /** Files and folders within the folder whose content it must not see, absolute; they exist. */
  readonly hidden: readonly string[];
  /** Whether it may change the folder's repository. */
  readonly gitWritable: boolean;
}

/** What is started instead. */
export interface IsolatedCommand {
  /** The program. */
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** The variables of its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Ends what the signal to the started process does not reach, such as a container. */
  readonly stop?: { readonly program: string; readonly args: readonly string[] } | undefined;
}

/** A way to run a command so that it reads and writes only what it is given. */
export interface Isolation {
  /** How results and warnings call it. */
  readonly name: string;
  /** Returns what to start for a command. */
  wrap(request: IsolationRequest): IsolatedCommand;
}

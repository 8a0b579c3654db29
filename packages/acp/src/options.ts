import type { RunLimits } from '@kernel/agent';
import type { Toolset } from '@kernel/protocol';

/** Options of `acpAgent`: the agent, and where it works. */
export interface AcpAgentOptions {
  /** The program of the agent, such as `gemini`: looked up on the `PATH`, but never in the workspace. A relative path is one of this process. No shell is used. */
  readonly command: string;
  /** Its arguments, such as `['--experimental-acp']`. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables that it gets besides those that every program needs, such as its API key. Their values are redacted from all that leaves the agent: text, calls, results and errors. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The name of the tool. Default: that of the program. */
  readonly name?: string | undefined;
  /** What the agent can be asked to do, for the calling model. */
  readonly description?: string | undefined;
  /** What the agent works on: it gets a copy of what may be read, and its changes come back as one call of `apply_patch`. */
  readonly workspace: AgentWorkspace;
  /**
   * Creates tools that run commands in the folder of a copy: of them, `run_command` runs what the agent asks its client to run, once that was decided on.
   * Default: the agent is told that there are no terminals, and runs commands by itself.
   */
  readonly commands?: ((folder: string) => CommandsInCopy | Promise<CommandsInCopy>) | undefined;
  /** The model, by its value among the agent's own. Default: what the agent chooses. */
  readonly model?: string | undefined;
  /** The mode, by its id among the agent's own. Default: what the agent chooses. */
  readonly mode?: string | undefined;
  /** What one call may use. */
  readonly limits?: AcpAgentLimits | undefined;
}

/** What one call of the agent may use. Absent limits have the defaults that are named. */
export interface AcpAgentLimits extends Pick<RunLimits, 'tokens' | 'cost'> {
  /** How long the agent may take in milliseconds, waiting for decisions included. Then it is ended; what it has changed is asked about. Default: no limit. */
  readonly timeMs?: number | undefined;
  /** How long the agent may take until it is ready for its task, in milliseconds. Default 60,000. */
  readonly startMs?: number | undefined;
  /** How long it may say nothing while nothing is asked or run for it, in milliseconds. Default 600,000. */
  readonly silenceMs?: number | undefined;
  /** The most files that the copy may have. Default 100,000. */
  readonly files?: number | undefined;
  /** The most bytes that the copy may have. Default 2 GiB. */
  readonly bytes?: number | undefined;
  /** The largest message of the agent, in bytes. Default 16 MiB. */
  readonly messageBytes?: number | undefined;
  /** The most characters that it may say and think, together. Default 4,000,000. */
  readonly textCharacters?: number | undefined;
}

/** Tools that run commands in the folder of a copy. */
export interface CommandsInCopy {
  /** A toolset with `run_command`, as that of `commandTools` of `@kernel/toolbox`. */
  readonly tools: Toolset;
  /** Called when the agent has ended. */
  close?(): Promise<void>;
}

/** What `acpAgent` needs of a workspace. That of `createWorkspace` of `@kernel/toolbox` is one; its docs say what each member does. */
export interface AgentWorkspace {
  /** The absolute path of the folder on disk, without links; undefined if the files are not in a folder on disk. */
  readonly folder: string | undefined;
  /** Whether the rules allow an access to a path by its name. */
  allows(access: 'read' | 'write', path: string): boolean;
  /** Returns what is at a path. Rejects if there is nothing. */
  stat(path: string, options?: WorkspaceAbort): Promise<WorkspaceFile>;
  /** Reads a file. */
  read(
    path: string,
    options?: WorkspaceAbort & {
      /** The largest file that is read, in bytes. */
      readonly maxBytes?: number | undefined;
    },
  ): Promise<
    WorkspaceFile & {
      /** All of it. */
      readonly bytes: Uint8Array;
    }
  >;
  /** Lists a folder. */
  list(
    path: string,
    options?: WorkspaceAbort,
  ): Promise<
    readonly {
      /** Its name, without the folder. */
      readonly name: string;
      /** What it is; a link is not followed. */
      readonly type: 'file' | 'directory' | 'link' | 'other';
    }[]
  >;
  /** Makes edits: all, or none if one fails. */
  apply(
    edits: readonly WorkspaceEdit[],
    options?: WorkspaceAbort,
  ): Promise<{
    /** Identifies the change. */
    readonly id: string;
  }>;
}

/** How an operation of a workspace is aborted. */
export interface WorkspaceAbort {
  /** Aborts it. */
  readonly signal?: AbortSignal | undefined;
}

/** What is at a path of a workspace: a file, a folder, a link or something else. */
export interface WorkspaceFile {
  /** What it is. */
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Its size in bytes. */
  readonly size: number;
  /** Its permission bits. */
  readonly mode: number;
  /** Changes with the content. */
  readonly version: string;
}

/** An edit of a workspace. */
export type WorkspaceEdit =
  | {
      readonly type: 'write';
      /** The file, relative to the root. */
      readonly path: string;
      /** All of its new content. */
      readonly content: string | Uint8Array;
      /** The version to replace, or `absent`. */
      readonly ifVersion?: string | undefined;
      /** The permission bits. */
      readonly mode?: number | undefined;
    }
  | { readonly type: 'remove'; readonly path: string };

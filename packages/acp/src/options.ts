import type { RunLimits } from '@kernel/agent';
import type { Toolset } from '@kernel/protocol';
import type {
  AbortOptions,
  Change,
  Edit,
  FileContent,
  FileInfo,
  ReadOptions,
  Workspace,
} from '@kernel/toolbox/workspace';

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
export interface AgentWorkspace extends Pick<Workspace, 'folder' | 'allows' | 'list'> {
  /** Returns what is at a path. Rejects if there is nothing. */
  stat(path: string, options?: AbortOptions): Promise<WorkspaceFile>;
  /** Reads a file. */
  read(
    path: string,
    options?: Pick<ReadOptions, 'maxBytes' | 'signal'>,
  ): Promise<WorkspaceFile & Pick<FileContent, 'bytes'>>;
  /** Makes edits: all, or none if one fails. */
  apply(edits: readonly WorkspaceEdit[], options?: AbortOptions): Promise<Pick<Change, 'id'>>;
}

/** What is at a path of a workspace. */
export type WorkspaceFile = Pick<FileInfo, 'type' | 'size' | 'mode' | 'version'>;

/** An edit that brings a change back. */
export type WorkspaceEdit = Extract<Edit, { readonly type: 'write' | 'remove' }>;

/** The names of the calls that let an agent do something by itself: a command, and anything else. */
export type AgentRequestName = 'agent_command' | 'agent_permission';

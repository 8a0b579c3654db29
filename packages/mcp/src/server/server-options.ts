import { onAbort } from '@kernel/internal';
import { KernelError, type KeysOf, type Toolset } from '@kernel/protocol';
import type * as Sdk from '@modelcontextprotocol/server';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { loadContent } from './content/load-content.ts';
import type { ServedContent } from './content/served-content.ts';
import { handleToolRequests, type MountToolsOptions, stateKeyOf } from './mount-tools.ts';
import type { TaskOptions, TaskSupport } from './tasks/task-support.ts';
import type { StateKey } from './tools/ask-client.ts';
import { createToolsetTurns } from './tools/toolset-turns.ts';

/** How a server introduces itself, or how it is created. */
export interface ServerOptions extends MountToolsOptions {
  /** Default `kernel`. */
  readonly name?: string | undefined;
  /** Default `0.0.0`. */
  readonly version?: string | undefined;
  /** Tells the client's model how to use these tools. */
  readonly instructions?: string | undefined;
  /**
   * Creates the server of one connection in place of a plain one, for example with resources and prompts. Called for each connection, for each
   * request in the 2026-07-28 protocol over HTTP, and a few times at the start to find mistakes early. The tools are mounted on what it returns.
   */
  readonly createServer?: (() => McpServer | Server) | undefined;
  /** What clients can read beside the tools: files, skills and prompts. */
  readonly content?: ServedContent | undefined;
  /** Makes tasks of calls that take long, for clients that know them. Without it every call waits for its result. */
  readonly tasks?: TaskOptions | undefined;
  /** Called with problems of the connection: invalid messages, refused requests, responses that could not be sent. Never with the failure of a tool. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

export const SERVER_KEYS: KeysOf<ServerOptions> = {
  name: true,
  version: true,
  instructions: true,
  createServer: true,
  onError: true,
  signal: true,
  stateKey: true,
  tasks: true,
  content: true,
};

/** What all connections of a server share. */
export interface Served {
  /** Creates the server of a connection, with its content and without tools. */
  readonly createServer: () => McpServer | Server;
  readonly stateKey: StateKey;
  readonly tasks: TaskSupport | undefined;
}

/** Prepares what all connections share. Rejects with `CONFIG_INVALID` for wrong options, content or `createServer`. */
export async function prepareServer(
  sdk: typeof Sdk,
  subject: string,
  toolset: Toolset,
  options: ServerOptions,
): Promise<Served> {
  const { name = 'kernel', version = '0.0.0', instructions, content, createServer: create, onError } = options;
  const addContent = await loadContent(sdk, subject, content, onError);
  if (create !== undefined) {
    const server = create();
    if (create() === server)
      throw new KernelError('CONFIG_INVALID', 'createServer returned the same server twice.', {
        hint: 'Create a new one in each call: a server has one connection.',
      });
    handleToolRequests(server, toolset, createToolsetTurns(toolset), '');
  }
  const createServer = (): McpServer | Server => {
    const about = instructions === undefined ? {} : { instructions };
    const server = create?.() ?? new sdk.McpServer({ name, version }, about);
    addContent(server);
    return server;
  };
  if (content !== undefined) createServer(); // finds mistakes now
  const stateKey = stateKeyOf(subject, options);
  if (options.tasks === undefined) return { createServer, stateKey, tasks: undefined };
  const { createTaskSupport } = await import('./tasks/task-support.ts');
  return { createServer, stateKey, tasks: await createTaskSupport(subject, options.tasks, onError) };
}

/** Calls `listener` when the connection of a server has ended, after the `onclose` that it already has. */
export function onServerClose(server: Server, listener: () => void): void {
  const previous = server.onclose;
  const onclose = (): void => {
    try {
      previous?.();
    } finally {
      listener();
    }
  };
  Object.assign(server, { onclose });
}

export function closeOnAbort(signal: AbortSignal | undefined, close: () => Promise<void>): () => void {
  return onAbort(signal, () => void close().catch(() => {})); // reported where `closed` is awaited
}

import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import {
  client,
  RequestError,
  type ClientApp,
  type PermissionOptionKind,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk/unstable';

/** What an editor saw of a session. */
export interface SeenByEditor {
  /** What the agent wrote so far. */
  text: string;
  /** Every request for a permission. */
  readonly permissions: RequestPermissionRequest[];
  /** The kinds of updates, in the order in which they were first sent. */
  readonly updates: Set<string>;
  /** The commands that the agent ran in terminals of the editor. */
  readonly commands: string[];
}

/** How an editor answers for files, if it is not as they are on disk. */
export interface EditorFiles {
  /** The error with which it refuses to read and write. */
  readonly refusal?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** What it says that every file has; it writes nothing. */
  readonly always?: string;
}

/** How an editor behaves. */
export interface EditorOptions {
  /** What it answers a question with, the first being 0. Default: `allow_once`. */
  readonly permission?: ((at: number) => PermissionOptionKind) | undefined;
  readonly files?: EditorFiles;
  /** Hears that the agent has written. */
  readonly onText: () => void;
}

/** An editor with files and terminals. */
export function editorClient(
  seen: SeenByEditor,
  { permission = () => 'allow_once', files = {}, onText }: EditorOptions,
): ClientApp {
  const terminals = new Map<string, { child: ChildProcess; output: string; ended: Promise<object> }>();
  const terminal = (id: string) => {
    const found = terminals.get(id);
    if (found === undefined) throw new Error(`There is no terminal ${id}.`);
    return found;
  };
  return client({ name: 'editor' })
    .onNotification('session/update', ({ params: { update } }) => {
      seen.updates.add(update.sessionUpdate);
      if (update.sessionUpdate !== 'agent_message_chunk' || update.content.type !== 'text') return;
      seen.text += update.content.text;
      onText();
    })
    .onRequest('session/request_permission', ({ params }) => {
      seen.permissions.push(params);
      const wanted = permission(seen.permissions.length - 1);
      const option = params.options.find(({ kind }) => kind === wanted);
      if (option === undefined) return { outcome: { outcome: 'cancelled' } };
      return { outcome: { outcome: 'selected', optionId: option.optionId } };
    })
    .onRequest('fs/read_text_file', async ({ params: { path, line, limit } }) => {
      refuseFiles(files);
      if (files.always !== undefined) return { content: files.always };
      const lines = (await readFile(path, 'utf8')).split('\n');
      const start = (line ?? 1) - 1;
      return { content: lines.slice(start, limit == null ? undefined : start + limit).join('\n') };
    })
    .onRequest('fs/write_text_file', async ({ params: { path, content } }) => {
      refuseFiles(files);
      if (files.always === undefined) await writeFile(path, content);
      return {};
    })
    .onRequest('terminal/create', ({ params: { command, args = [], cwd, env = [] } }) => {
      seen.commands.push([command, ...args].join(' '));
      const variables = { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) };
      // As editors do: a command without arguments is a line for a shell.
      const shell = args.length === 0;
      const child = spawn(command, args, {
        shell,
        cwd: cwd ?? undefined,
        env: variables,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = new Promise<object>((resolve) => {
        child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
        child.once('error', () => resolve({ exitCode: 127 }));
      });
      const made = { child, output: '', ended };
      for (const pipe of [child.stdout, child.stderr])
        pipe?.setEncoding('utf8').on('data', (text: string) => (made.output += text));
      const terminalId = `terminal-${terminals.size + 1}`;
      terminals.set(terminalId, made);
      return { terminalId };
    })
    .onRequest('terminal/output', ({ params }) => {
      const { child, output } = terminal(params.terminalId);
      const { exitCode, signalCode: signal } = child;
      const hasEnded = exitCode !== null || signal !== null;
      return { output, truncated: false, ...(hasEnded ? { exitStatus: { exitCode, signal } } : {}) };
    })
    .onRequest('terminal/wait_for_exit', ({ params }) => terminal(params.terminalId).ended)
    .onRequest('terminal/kill', ({ params }) => (terminal(params.terminalId).child.kill('SIGKILL'), {}))
    .onRequest('terminal/release', ({ params }) => {
      terminal(params.terminalId).child.kill('SIGKILL');
      terminals.delete(params.terminalId);
      return {};
    });
}

function refuseFiles({ refusal }: EditorFiles): void {
  if (refusal !== undefined) throw new RequestError(refusal.code, refusal.message, refusal.data);
}

import { type ChildProcess, spawn } from 'node:child_process';
import type { ClientApp } from '@agentclientprotocol/sdk/unstable';

interface OpenTerminal {
  readonly child: ChildProcess;
  output: string;
  readonly ended: Promise<{ exitCode?: number | null; signal?: string | null }>;
}

/** Gives an editor terminals: child processes. `commands` gets each command that is started, and `open` has the terminals that were not released. */
export function withTerminals(commands: string[], open = new Map<string, OpenTerminal>()) {
  let count = 0;
  const get = (id: string): OpenTerminal => {
    const found = open.get(id);
    if (found === undefined) throw new Error(`There is no terminal ${id}.`);
    return found;
  };
  return (app: ClientApp): ClientApp =>
    app
      .onRequest('terminal/create', ({ params: { command, args = [], cwd, env = [] } }) => {
        commands.push([command, ...args].join(' '));
        const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        const child = spawn(command, args, {
          cwd: cwd ?? undefined,
          env: variables,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const ended = new Promise<Awaited<OpenTerminal['ended']>>((resolve) => {
          child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
          child.once('error', () => resolve({ exitCode: 127 }));
        });
        const terminal: OpenTerminal = { child, output: '', ended };
        for (const pipe of [child.stdout, child.stderr])
          pipe.setEncoding('utf8').on('data', (text: string) => (terminal.output += text));
        count += 1;
        open.set(`terminal-${count}`, terminal);
        return { terminalId: `terminal-${count}` };
      })
      .onRequest('terminal/output', ({ params }) => ({ output: get(params.terminalId).output, truncated: false }))
      .onRequest('terminal/wait_for_exit', ({ params }) => get(params.terminalId).ended)
      .onRequest('terminal/kill', ({ params }) => (get(params.terminalId).child.kill('SIGKILL'), {}))
      .onRequest('terminal/release', ({ params }) => {
        get(params.terminalId).child.kill('SIGKILL');
        open.delete(params.terminalId);
        return {};
      });
}

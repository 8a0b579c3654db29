import { startWireServer, type WireServerOptions } from '@kernel/testing';
import { workspace } from './program.ts';
import { fakeTerminal, plain, promptAt } from './terminals.ts';

/** What a model may answer. */
export const ANSWER = '# Result\n\n**Done**: `42`.\n\n```ts\nconst a = 1;\n```\n\n- one\n- two\n';

/** Asks a server that gives these replies, on a terminal, and returns what that shows. */
export async function at(
  replies: WireServerOptions['replies'],
  {
    args = [],
    env = {},
    columns = 80,
  }: { args?: readonly string[]; env?: Record<string, string>; columns?: number } = {},
) {
  const server = await startWireServer({ replies });
  const terminal = fakeTerminal(columns);
  try {
    const model = ['--base-url', server.baseUrl, '--model', 'm-1'];
    const code = await promptAt(terminal, [...model, ...args, 'do it'], { cwd: workspace(), env });
    return { code, raw: terminal.raw(), text: plain(terminal.raw()), answer: plain(terminal.answer()), server };
  } finally {
    await server.close();
  }
}

export const READ = { name: 'read_file', arguments: { path: 'notes.md' } };
export const MISSING = { name: 'read_file', arguments: { path: 'none.md' } };

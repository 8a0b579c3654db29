import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWireServer, type WireServerOptions } from '@kernel/testing';
import { prompt, promptHere, workspace } from './program.ts';

export const RULES = '.config/prompt-agent/permissions.json';
export const EDIT = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] } };
export const BUNDLE = ['--bundle', 'code_agent'];

/** Has the program work in a folder, with a model that gives these replies. */
export async function working(
  cwd: string,
  replies: WireServerOptions['replies'],
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const server = await startWireServer({ replies });
  try {
    const model = ['--base-url', server.baseUrl, '--model', 'm'];
    const ask = env['NODE_OPTIONS'] === undefined ? promptHere : prompt;
    const outcome = await ask([...model, ...args, 'do it'], { cwd, env });
    return { ...outcome, requests: server.requests.map(({ body }) => JSON.stringify(body)) };
  } finally {
    await server.close();
  }
}

/** Makes a small project. */
export const project = (files: Readonly<Record<string, string>> = {}) =>
  workspace({ 'a.txt': 'one\n', 'b.txt': 'B\n', ...files });
/** The text of a file in it. */
export const textOf = (cwd: string, path: string) => readFileSync(join(cwd, path), 'utf8');

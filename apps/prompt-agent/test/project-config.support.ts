import { PassThrough } from 'node:stream';
import { main } from '../src/main.ts';
import { workspace } from './program.ts';

/** Flags and prompt of a run that asks a model. */
export const REQUEST = ['-protocol', 'chat', 'hi'] as const;

/** A cloned repository with a config, and the home folder of a user. */
export function cloned(
  config: object,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): { cwd: string; home: string } {
  return { cwd: workspace({ 'config.json': JSON.stringify(config), ...files }), home: workspace({ 'a.txt': '' }) };
}

/** Runs the program in this process, at a terminal where a person types `answer` when a question appears. */
export async function atTerminal(
  { cwd, home }: { readonly cwd: string; readonly home: string },
  answer: string,
  env: Readonly<Record<string, string>> = {},
  argv: readonly string[] = REQUEST,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string; readonly asked: number }> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = new PassThrough();
  const seen = { stdout: '', stderr: '', asked: 0 };
  stdout.setEncoding('utf8').on('data', (text: string) => void (seen.stdout += text));
  stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.stderr += text;
    if (text.includes('Enter shows the next page')) stdin.write('\n');
    if (!text.includes('[y/N]')) return;
    seen.asked += 1;
    stdin.write(`${answer}\n`);
  });
  const { signal } = new AbortController();
  const code = await main({
    argv,
    env: { PROMPT_AGENT_SERVERS: '', ...env },
    cwd,
    home,
    stdin,
    stdout,
    stderr,
    signal,
  });
  return { code, ...seen };
}

import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Provider } from '@kernel/protocol';
import type { Host } from '../host.ts';
import { makeFolder } from '../sessions/database/make-folder.ts';
import { usageError } from '../usage-error.ts';
import type { Choice } from './choose-model.ts';
import { messageOf } from '../message-of.ts';

/** Records the requests and replies of a provider to a file, without its token. Rejects with a usage error for a file that cannot be written, before anything is asked. */
export async function recordTo(
  file: string,
  provider: Provider,
  token: unknown,
  { cwd }: Pick<Host, 'cwd'>,
): Promise<Provider> {
  checkWritable(file, resolve(cwd, file));
  const { withRecorder } = await import('@kernel/providers/cassette');
  return withRecorder(provider, resolve(cwd, file), typeof token === 'string' ? { secrets: [token] } : {});
}

function checkWritable(file: string, path: string): void {
  try {
    makeFolder(dirname(path));
    const isNew = !existsSync(path);
    closeSync(openSync(path, 'a'));
    if (isNew) rmSync(path);
  } catch (error) {
    const reason = messageOf(error);
    throw usageError(`--record: "${file}" cannot be written: ${reason}.`);
  }
}

/** Opens a file of `--record` as a provider that sends nothing. Rejects with a usage error for any other file. */
export async function openCassette(
  file: string,
  { cwd }: Pick<Host, 'cwd'>,
): Promise<{ readonly provider: Provider; readonly choice: Choice }> {
  const { readCassette, replay } = await import('@kernel/providers/cassette');
  const cassette = await readCassette(resolve(cwd, file));
  const model = cassette.entries.find(({ request }) => typeof request['model'] === 'string')?.request['model'];
  if (typeof model !== 'string') throw usageError(`--replay: "${file}" holds no recorded request.`);
  return { provider: replay(cassette), choice: { provider: { name: 'replay' }, model, from: '--replay' } };
}

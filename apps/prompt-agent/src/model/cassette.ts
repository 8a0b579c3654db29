import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorMessage } from '@kernel/internal';
import { KernelError, type Provider, type ProviderRequest, wrapProvider } from '@kernel/protocol';
import type { Cassette } from '@kernel/providers/cassette';
import { usageError } from '../exit-code.ts';
import { makeFolder } from '../files/paths.ts';
import type { Host } from '../host.ts';
import type { Choice } from './choose-model.ts';

/** Records the requests and replies of a provider to a file, without its token. Rejects with a usage error for a file that cannot be written, before anything is asked. */
export async function recordTo(
  file: string,
  provider: Provider,
  secret: string | undefined,
  { cwd }: Pick<Host, 'cwd'>,
): Promise<Provider> {
  checkWritable(file, resolve(cwd, file));
  const { withRecorder } = await import('@kernel/providers/cassette');
  return withRecorder(provider, resolve(cwd, file), secret === undefined ? {} : { secrets: [secret] });
}

function checkWritable(file: string, path: string): void {
  try {
    makeFolder(dirname(path));
    const isNew = !existsSync(path);
    closeSync(openSync(path, 'a'));
    if (isNew) rmSync(path);
  } catch (error) {
    const reason = errorMessage(error);
    throw usageError(`--record: "${file}" cannot be written: ${reason}.`);
  }
}

/** Reads a file of `--record`. Rejects with a usage error for any other file. */
export async function readTape(file: string, { cwd }: Pick<Host, 'cwd'>): Promise<Cassette> {
  const { readCassette } = await import('@kernel/providers/cassette');
  return readCassette(resolve(cwd, file)).catch((error: unknown) => {
    throw forCommandLine(error, 'Record one with --record FILE.');
  });
}

/** Opens a file of `--record` as a provider that sends nothing. Rejects with a usage error for any other file. */
export async function openCassette(
  file: string,
  { cwd }: Pick<Host, 'cwd'>,
): Promise<{ readonly provider: Provider; readonly choice: Choice }> {
  const { replay } = await import('@kernel/providers/cassette');
  const cassette = await readTape(file, { cwd });
  const model = cassette.entries.find(({ request }) => typeof request['model'] === 'string')?.request['model'];
  if (typeof model !== 'string') throw usageError(`--replay: "${file}" holds no recorded request.`);
  return {
    provider: withCommandLineHints(replay(cassette)),
    choice: { provider: { name: 'replay' }, model, from: '--replay' },
  };
}

/** Has a request that was not recorded say what to do about it on the command line. */
function withCommandLineHints(provider: Provider): Provider {
  const hint = 'Record it again with --record FILE, or ask the same as before, with the same flags.';
  return wrapProvider(provider, {
    async *stream(request: ProviderRequest) {
      try {
        yield* provider.stream(request);
      } catch (error) {
        throw forCommandLine(error, hint);
      }
    },
  });
}

function forCommandLine(error: unknown, hint: string): unknown {
  if (!KernelError.is(error) || error.hint === undefined) return error;
  return new KernelError(error.code, error.message, { hint, data: error.data, cause: error.cause });
}

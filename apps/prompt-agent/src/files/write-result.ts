import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorMessage } from '@kernel/internal';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';

/** Writes to the file of `--output`, which only the user can read, else to stdout. Rejects with a usage error for a file that cannot be written. */
export async function writeResult({ flags, host, output }: CommandCall, text: string): Promise<void> {
  const { output: file } = flags;
  if (file === undefined || file === '-') return output.write(text);
  await writeFile(resolve(host.cwd, file), text, { mode: 0o600 }).catch((error: unknown) => {
    throw usageError(`--output "${file}" cannot be written: ${errorMessage(error)}.`);
  });
  output.note(`written: ${file}`);
}

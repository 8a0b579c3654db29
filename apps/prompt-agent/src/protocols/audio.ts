import { basename, extname, resolve } from 'node:path';
import { KernelError } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { requireBytes } from '../files/read-file.ts';
import type { Invocation } from '../invocation.ts';
import { openModel } from '../model/open-model.ts';

const MAX_BYTES = 26_214_400;

const TYPES = new Map([
  ['.mp3', 'audio/mpeg'],
  ['.wav', 'audio/wav'],
  ['.m4a', 'audio/mp4'],
  ['.mp4', 'audio/mp4'],
  ['.ogg', 'audio/ogg'],
  ['.flac', 'audio/flac'],
  ['.webm', 'audio/webm'],
]);

/** Transcribes a recording of at most 25 MiB and prints its text. */
export async function audio({ provider, choice, loaded, flags, host, output, signal }: Invocation): Promise<number> {
  if (provider.transcribe === undefined)
    throw new KernelError('PROVIDER_UNSUPPORTED', `${choice.provider.name} has no transcription.`);
  const file = flags.audio ?? '';
  const path = resolve(host.cwd, file);
  const data = await requireBytes(path, '--audio', file, MAX_BYTES);
  const mimeType = TYPES.get(extname(path).toLowerCase()) ?? 'application/octet-stream';
  const transcript = await provider.transcribe({
    model: choice.model,
    audio: { data, mimeType, name: basename(path) },
    options: loaded.config.model.capabilities['audio'],
    signal,
  });
  if (flags.json === true || flags['json-lines'] === true)
    output.writeJson({
      version: 1,
      protocol: 'audio',
      provider: choice.provider.name,
      model: choice.model,
      ...transcript,
    });
  else output.write(transcript.text);
  return EXIT.answer;
}

export async function transcribe(call: CommandCall): Promise<number> {
  const [file] = call.words;
  if (file === undefined) throw usageError('transcribe needs FILE, a recording.');
  const flags = { ...call.flags, audio: file };
  return audio(await openModel({ ...call, flags }, 'audio', true));
}

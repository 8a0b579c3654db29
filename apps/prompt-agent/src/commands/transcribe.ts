import type { CommandCall } from '../command-call.ts';
import { openModel } from '../model/open-model.ts';
import { audio } from '../protocols/audio.ts';
import { usageError } from '../usage-error.ts';

/** Transcribes a recording and prints its text. */
export async function transcribe(call: CommandCall): Promise<number> {
  const [file] = call.words;
  if (file === undefined) throw usageError('transcribe needs FILE, a recording.');
  const flags = { ...call.flags, audio: file };
  return audio(await openModel({ ...call, flags }, { need: 'audio', isRaw: true }));
}

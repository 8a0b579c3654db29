import type { CommandCall } from '../command-call.ts';
import { readMessage } from '../prompt/read-message.ts';
import { openModel } from '../model/open-model.ts';
import { embeddings } from '../protocols/embeddings.ts';

/** Embeds a text, of the command line or of stdin, and prints the size, ends and range of its vector; with `--json` the vector. */
export async function embed(call: CommandCall): Promise<number> {
  const { text } = await readMessage(call, { takesMedia: false });
  return embeddings(await openModel(call, { need: 'embeddings', isRaw: true }), text);
}

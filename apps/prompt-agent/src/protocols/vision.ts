import { textOf } from '@kernel/protocol';
import { EXIT } from '../exit-code.ts';
import { loadAttachment } from '../prompt/attachments.ts';
import { splitSources } from '../prompt/split-sources.ts';
import type { Invocation } from '../invocation.ts';
import { callModel, tokenLine, writeReply } from './raw-call.ts';

/** Makes one call with images, sent inline: `Vision response: TEXT` and the token line. */
export async function vision(invocation: Invocation, prompt: string): Promise<number> {
  const { flags, host, signal } = invocation;
  const access = { host, stdin: new Uint8Array(), allowPrivate: flags['allow-private-images'] ?? false, signal };
  const images = await Promise.all(
    splitSources(flags.images ?? '').map((source) => loadAttachment('--images', source, access)),
  );
  const end = await callModel(invocation, { protocol: 'vision', content: [{ type: 'text', text: prompt }, ...images] });
  const lines =
    flags.stream === true ? [] : [`Vision response: ${textOf(end.message)}`, ...tokenLine(end, 'completion')];
  writeReply(invocation, 'vision', end, lines);
  return EXIT.answer;
}

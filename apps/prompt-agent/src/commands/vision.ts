import { textOf } from '@kernel/protocol';
import { EXIT } from '../exit-code.ts';
import { loadImage } from '../images/load-image.ts';
import type { Invocation } from '../invocation.ts';
import { callModel, tokenLine, writeReply } from './raw-call.ts';

/** Makes one call with images, sent inline: `Vision response: TEXT` and the token line. */
export async function vision(invocation: Invocation): Promise<number> {
  const { flags, host, prompt, signal } = invocation;
  const sources = splitSources(flags.images ?? '').map((part) => part.trim());
  const images = await Promise.all(
    sources.filter(Boolean).map((source) =>
      loadImage(source, {
        cwd: host.cwd,
        home: host.home,
        allowPrivate: flags['allow-private-images'] ?? false,
        signal,
      }),
    ),
  );
  const end = await callModel(invocation, { protocol: 'vision', content: [{ type: 'text', text: prompt }, ...images] });
  const lines =
    flags.stream === true ? [] : [`Vision response: ${textOf(end.message)}`, ...tokenLine(end, 'completion')];
  writeReply(invocation, 'vision', end, lines);
  return EXIT.answer;
}

/** Splits at the commas after the last `;base64`. */
function splitSources(list: string): readonly string[] {
  const from = list.lastIndexOf(';base64') + 1;
  const [first = '', ...rest] = list.slice(from).split(',');
  return [list.slice(0, from) + first, ...rest];
}

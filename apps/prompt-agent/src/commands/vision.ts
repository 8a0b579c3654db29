import { textOf } from '@kernel/protocol';
import { EXIT } from '../exit-code.ts';
import { loadImage } from '../images/load-image.ts';
import type { Session } from '../session.ts';
import { callModel, tokenLine, writeReply } from './raw-call.ts';

/** One call with images, sent inline: `Vision response: TEXT` and the token line. */
export async function vision(session: Session): Promise<number> {
  const { flags, host, prompt, signal } = session;
  const sources = (flags.images ?? '').split(/,(?!.*;base64)/).map((part) => part.trim());
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
  const end = await callModel(session, { protocol: 'vision', content: [{ type: 'text', text: prompt }, ...images] });
  const lines =
    flags.stream === true ? [] : [`Vision response: ${textOf(end.message)}`, ...tokenLine(end, 'completion')];
  writeReply(session, 'vision', end, lines);
  return EXIT.answer;
}

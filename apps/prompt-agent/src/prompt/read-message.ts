import type { MediaPart, TextPart } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { decodeAnyText } from '../files/read-file.ts';
import { readStdin } from './read-stdin.ts';

const OPTIONAL = { skipNote: 'The prompt is sent without it; to wait for it, use -f -.' };

/**
 * Reads the prompt from `--prompt` or the words, and what comes with it: stdin, `-f`, `-a`, `--images`, `-t`. What is piped into the program precedes the
 * prompt, and is the prompt where no other is given; `-f -` and `-a -` name it. Rejects with a usage error if there is none, or only white space.
 */
export async function readMessage(
  call: CommandCall,
  { takesMedia, mayBeEmpty = false }: { readonly takesMedia: boolean; readonly mayBeEmpty?: boolean },
) {
  const { flags, words, host, output, signal } = call;
  const attached = takesMedia ? await attachmentsOf(flags) : [];
  const files = flags.file ?? [];
  const typed = typedPrompt(flags.prompt, words);
  const isAttached = attached.some(({ source }) => source === '-');
  const isNamed = isAttached || files.some(isStdin);
  const isSpare =
    mayBeEmpty || typed !== undefined || (files.length + attached.length > 0 && flags.template === undefined);
  const stdin = await readStdin(call, isNamed ? 'named' : isSpare ? OPTIONAL : 'needed');
  const piped = isAttached ? '' : await textOfStdin(stdin, (what) => output.note(`note: stdin ${what}`));
  if (files.some(isStdin) && piped === '') throw usageError('-f: "-" means stdin, which is empty.');
  const input = typed ?? piped;
  const template =
    flags.template === undefined
      ? undefined
      : await (await import('./template.ts')).loadTemplate(flags.template, { variables: flags.var ?? [], input, host });
  const prompt = template?.prompt ?? input;
  const access = { host, stdin, allowPrivate: flags['allow-private-images'] ?? false, signal };
  const read = files.filter((source) => !isStdin(source));
  const fragment = typed === undefined || piped.trim() === '' ? undefined : piped;
  const texts = read.length === 0 && fragment === undefined ? [] : await textsOf(read, fragment, call);
  const media: MediaPart[] = await Promise.all(
    attached.map(async ({ flag, source }) => (await import('./attachments.ts')).loadAttachment(flag, source, access)),
  );
  const isOptional = typed === undefined && (mayBeEmpty || texts.length + media.length > 0);
  const isMissing = !isOptional && prompt.trim() === '';
  if (isMissing)
    throw usageError(
      'A prompt is missing: give it at the end, as --prompt TEXT, or pipe it in. See prompt-agent --help; prompt-agent chat starts a conversation.',
    );
  const said: TextPart[] = prompt.trim() === '' ? [] : [{ type: 'text', text: prompt }];
  const text = [...texts, ...said].map((part) => part.text).join('\n\n');
  const isPlain = texts.length + media.length === 0;
  return {
    message: { role: 'user' as const, content: isPlain ? prompt : [...texts, ...media, ...said] },
    text,
    template,
    /** What was typed itself, in which resources can be mentioned: what is piped in may be from a stranger. */
    typed: template === undefined ? (typed ?? '') : '',
  };
}

interface Attached {
  readonly flag: '-a' | '--images';
  readonly source: string;
}

async function attachmentsOf({ attach = [], images }: CommandCall['flags']): Promise<readonly Attached[]> {
  const listed = images === undefined ? [] : (await import('./attachments.ts')).splitSources(images);
  return [
    ...attach.map((source) => ({ flag: '-a' as const, source })),
    ...listed.map((source) => ({ flag: '--images' as const, source })),
  ];
}

async function textsOf(
  sources: readonly string[],
  piped: string | undefined,
  call: CommandCall,
): Promise<readonly TextPart[]> {
  const { fragmentPart, loadFragments } = await import('./fragments.ts');
  return [
    ...(await loadFragments(sources, call)),
    ...(piped === undefined ? [] : [fragmentPart('stdin', undefined, piped)]),
  ];
}

function typedPrompt(flag: string | undefined, words: readonly string[]): string | undefined {
  const positional = words.join(' ');
  if (flag !== undefined && words.length > 0)
    throw usageError(`--prompt and the prompt "${positional}" are both given; give one of them.`);
  return flag ?? (words.length === 0 ? undefined : positional);
}

function isStdin(source: string): boolean {
  return source === '-' || source === '/dev/stdin' || /^\/(?:dev|proc\/self)\/fd\/0$/.test(source);
}

async function textOfStdin(bytes: Uint8Array, warn: (what: string) => void): Promise<string> {
  const text = await decodeAnyText(bytes, warn);
  if (text === undefined)
    throw usageError('What is piped in is not text. Give an image, a recording or a PDF with -a -.');
  return text;
}

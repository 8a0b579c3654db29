import { errorMessage, untilAborted } from '@kernel/internal';
import { KernelError, type MediaPart, type TextPart } from '@kernel/protocol';
import { usageError } from '../exit-code.ts';
import { oneLine } from '../output/escape.ts';
import { mediaPart } from '../prompt/attachments.ts';
import { fragmentPart } from '../prompt/fragments.ts';
import type { AddedServers } from './added-servers.ts';

const MAX_RESOURCES = 20;
const MAX_BYTES = 16 * 1024 * 1024;
const MENTION = /(?<=^|\s)@([A-Za-z0-9][\w.-]{0,63}):(\S{1,2000})/g;

/** Whether a text may mention a resource, as `@server:uri`. */
export function mayMention(text: string): boolean {
  return text.search(MENTION) !== -1;
}

/** The resources that a text mentions of these servers, each once. Punctuation at the end of one belongs to the sentence. */
function mentionsIn(
  text: string,
  names: readonly string[],
): readonly { readonly server: string; readonly uri: string }[] {
  const found = [...text.matchAll(MENTION)].flatMap(([, server = '', written = '']) => {
    const uri = written.replace(/[.,;:!?)\]'"]{1,5}$/, '');
    return names.includes(server) && uri !== '' ? [[`${server}:${uri}`, { server, uri }] as const] : [];
  });
  return [...new Map(found).values()];
}

/**
 * Reads the resources that a text mentions as `@server:uri`, each as parts of the message: texts between tags that say where they are from, and images, recordings
 * and PDFs by their first bytes. Links in them are not followed. Rejects with a usage error that names the resource for one that cannot be read, is of another kind,
 * or is too much: at most 20 resources and 16 MiB are sent.
 */
export async function attachResources(
  text: string,
  servers: AddedServers,
  signal: AbortSignal,
): Promise<readonly (TextPart | MediaPart)[]> {
  const mentions = mentionsIn(text, servers.names);
  if (mentions.length > MAX_RESOURCES)
    throw usageError(`${mentions.length} resources are mentioned; at most ${MAX_RESOURCES} are sent.`);
  const parts: (TextPart | MediaPart)[] = [];
  let left = MAX_BYTES;
  for (const { server, uri } of mentions) {
    const shown = `@${server}:${oneLine(uri, 200)}`;
    try {
      // oxlint-disable-next-line no-await-in-loop -- in order, and what is left counts
      const contents = await untilAborted(servers.contents(server), signal);
      // oxlint-disable-next-line no-await-in-loop -- as above
      for (const part of await contents.readResource({ server, uri }, { signal })) {
        const checked = checkedPart(part, `${server}:${uri}`);
        left -= checked.type === 'text' ? Buffer.byteLength(checked.text) : (checked.data ?? '').length;
        if (left < 0) throw usageError(`it is too much: at most ${MAX_BYTES} bytes of resources are sent.`);
        parts.push(checked);
      }
    } catch (error) {
      signal.throwIfAborted();
      const hint = KernelError.is(error) && error.hint !== undefined ? ` ${error.hint}` : '';
      throw usageError(`${shown}: ${oneLine(errorMessage(error), 600)}${hint}`);
    }
  }
  return parts;
}

/** A part from a server as a message may have it. Throws for data that are neither an image, a recording nor a PDF, whatever the server calls them. */
export function checkedPart(part: TextPart | MediaPart, name: string): TextPart | MediaPart {
  if (part.type === 'text') return fragmentPart('resource', name, part.text);
  return mediaPart(Buffer.from(part.data ?? '', 'base64'), name);
}

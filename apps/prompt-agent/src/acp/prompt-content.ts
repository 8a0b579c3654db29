import { fileURLToPath } from 'node:url';
import { isAbsolute, relative, sep } from 'node:path';
import { sliceHead, truncate, visibleLine } from '@kernel/internal';
import type { MediaPart, TextPart } from '@kernel/protocol';
import type { ContentBlock } from '@agentclientprotocol/sdk/unstable';
import { usageError } from '../exit-code.ts';
import { decodeText } from '../files/read-file.ts';
import { oneLine } from '../output/escape.ts';
import { mediaPart } from '../prompt/attachments.ts';
import { fragmentPart } from '../prompt/fragments.ts';

/** A prompt of an editor: what was typed, and what came with it. */
export interface EditorPrompt {
  /** What was typed. Files and other resources stand in it by their paths and addresses. */
  readonly text: string;
  /** Whether all of it was typed: then it may be a command. */
  readonly isTyped: boolean;
  /** Images, recordings, and contents of files, in order. */
  readonly parts: readonly (TextPart | MediaPart)[];
}

const MAX_BLOCKS = 1000;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Reads the content of a prompt. Images, recordings and PDFs are what their first bytes say. The content of an embedded file is between tags with its path, and a link
 * is its path, which the tools can read. Throws a usage error that names what cannot be sent.
 */
export function readPrompt(blocks: readonly ContentBlock[], folder: string): EditorPrompt {
  if (blocks.length > MAX_BLOCKS)
    throw usageError(`The prompt has ${blocks.length} parts; at most ${MAX_BLOCKS} are sent.`);
  const parts: (TextPart | MediaPart)[] = [];
  const typed = createPromptText();
  let size = 0;
  for (const block of blocks) {
    size += sizeOf(block);
    if (size > MAX_BYTES) throw usageError(`The prompt is too large: at most ${MAX_BYTES} bytes are sent.`);
    switch (block.type) {
      case 'text':
        typed.addText(block.text);
        break;
      case 'image':
      case 'audio':
        parts.push(media(block.data, nameOf('uri' in block ? (block.uri ?? '') : '', folder), `the ${block.type}`));
        break;
      case 'resource_link':
        typed.addName(nameOf(block.uri, folder));
        break;
      case 'resource': {
        const { resource } = block;
        const name = nameOf(resource.uri, folder);
        typed.addName(name);
        if ('text' in resource)
          parts.push(fragmentPart(resource.uri.startsWith('file:') ? 'file' : 'resource', name, resource.text));
        else parts.push(textIn(resource.blob, name) ?? media(resource.blob, name, oneLine(name, 200)));
      }
    }
  }
  return { text: typed.text(), parts, isTyped: blocks.every(({ type }) => type === 'text') };
}

/** Joins the pieces of a prompt: a text behind another one begins a line, and a name stands apart from the words around it. */
function createPromptText() {
  const pieces: string[] = [];
  let isAfterName = false;
  const add = (piece: string, isName: boolean): void => {
    if (piece === '') return;
    const [before, after] = [pieces.at(-1)?.at(-1) ?? ' ', piece[0] ?? ' '];
    if (!/\s/.test(before + after)) {
      if (!isName && !isAfterName) pieces.push('\n');
      else if ((isAfterName || WORD.test(before)) && (isName || WORD.test(after))) pieces.push(' ');
    }
    pieces.push(piece);
    isAfterName = isName;
  };
  return {
    addText: (text: string): void => add(text, false),
    addName: (name: string): void => add(name, true),
    text: (): string => pieces.join(''),
  };
}

/** What a name would run into: not a bracket or a comma. */
const WORD = /[\p{L}\p{N}<>]/u;

function sizeOf(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'image':
    case 'audio':
      return block.data.length;
    case 'resource_link':
      return block.uri.length;
    case 'resource':
      return 'text' in block.resource ? block.resource.text.length : block.resource.blob.length;
  }
}

function media(data: string, name: string, what: string): MediaPart {
  try {
    return mediaPart(Buffer.from(data, 'base64'), name);
  } catch {
    throw usageError(`The prompt: ${what} is not an image, a recording or a PDF.`);
  }
}

/** The text of bytes that are UTF-8 without control characters, as a file that came with the prompt. */
function textIn(blob: string, name: string): TextPart | undefined {
  const text = decodeText(Buffer.from(blob, 'base64')) ?? '';
  // oxlint-disable-next-line no-control-regex -- finding them is what this is for
  return text === '' || /[\u0000-\u0008\u000E-\u001F]/.test(text) || text.startsWith('%PDF-')
    ? undefined
    : fragmentPart('file', name, text);
}

/** A resource as a prompt names it: a file of the folder by its path below it, another one by its path, anything else by its address. */
function nameOf(uri: string, folder: string): string {
  const path = uri.startsWith('file:') ? pathOf(uri) : undefined;
  if (path === undefined) return sliceHead(uri, 4096);
  const below = relative(folder, path);
  const isInside = below !== '' && !below.startsWith(`..${sep}`) && below !== '..' && !isAbsolute(below);
  return `${isInside ? below.split(sep).join('/') : path}${linesOf(uri)}`;
}

/** The lines that a link means, such as `#L10-20`, as they stand after a path. */
function linesOf(uri: string): string {
  const [, first, last] = /#L(\d{1,9})(?:[:-]L?(\d{1,9}))?$/.exec(uri) ?? [];
  return first === undefined ? '' : `:${first}${last === undefined ? '' : `-${last}`}`;
}

function pathOf(uri: string): string | undefined {
  try {
    const url = new URL(uri);
    url.hash = '';
    url.search = '';
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

const MAX_TITLE = 80;

/** The title of a session that begins with a text: its first line. */
export function titleOf(text: string): string {
  const [first = ''] = text.trim().split('\n', 1);
  return truncate(visibleLine(first), MAX_TITLE);
}

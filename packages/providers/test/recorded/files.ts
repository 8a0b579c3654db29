import { readdirSync, readFileSync } from 'node:fs';
import { type RawReply, toEventStreamFrame } from '@kernel/testing';
import { sharedData } from '../../../../test/setup/shared-data.ts';

/** The wires that recorded replies are read with. */
export type RecordedWire = 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'bedrock';

/** One recorded reply. */
export interface RecordedFile {
  /** The folder and the file. */
  readonly path: string;
  readonly wire: RecordedWire;
  /** Whether it is a stream. */
  readonly streams: boolean;
  readonly text: string;
}

/** The folder of the recorded replies. */
export const REPLIES = sharedData('recorded-replies', 'RECORDED_REPLIES', [
  'providers.replies.recorded',
  'providers.replies.opaque',
]);

const WIRES: Readonly<Record<string, RecordedWire>> = {
  'openai-responses': 'openai-responses',
  azure: 'openai-responses',
  'open-responses-responses': 'openai-responses',
  'xai-responses': 'openai-responses',
  anthropic: 'anthropic',
  google: 'gemini',
  'amazon-bedrock': 'bedrock',
};

/** Replies in a folder of another wire than their own. */
export const OTHER_WIRE: ReadonlyMap<string, RecordedWire> = new Map([
  ['azure/azure-deepseek-reasoning.1.chunks.txt', 'openai'],
  ['azure/azure-deepseek-reasoning.1.json', 'openai'],
]);

/** Every recorded reply; none if there is no such folder. A folder without a wire of its own speaks chat completions. */
export function recordedFiles(): readonly RecordedFile[] {
  if (!REPLIES.present) return [];
  const folders = readdirSync(REPLIES.path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) =>
    readdirSync(`${REPLIES.path}/${name}`)
      .toSorted()
      .flatMap((file) =>
        repliesIn({
          path: `${name}/${file}`,
          wire: OTHER_WIRE.get(`${name}/${file}`) ?? WIRES[name] ?? 'openai',
          streams: !file.endsWith('.json'),
          text: readFileSync(`${REPLIES.path}/${name}/${file}`, 'utf8'),
        }),
      ),
  );
}

/** A recording of several steps has several replies in a row, each up to its end mark: they are numbered from the second one. */
function repliesIn(file: RecordedFile): readonly RecordedFile[] {
  const texts = file.wire === 'anthropic' && file.streams ? file.text.split(/(?<="message_stop"\}\n)/) : [file.text];
  return texts
    .filter((text) => text.trim() !== '')
    .map((text, at) => ({ ...file, text, path: at === 0 ? file.path : `${file.path} (${at + 1})` }));
}

/** The JSON values of a reply: its events, or its one body. Lines that are not JSON are left out. */
export function valuesOf({ path, streams, text }: RecordedFile): readonly unknown[] {
  if (!streams) return [JSON.parse(text)];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const events = path.endsWith('.sse') ? lines.map((line) => line.replace(/^data: /, '')) : lines;
  return events.flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
}

/** The bytes that a server of the wire sends. */
export function replyOf({ path, streams, text, wire }: RecordedFile, status = 200): RawReply {
  if (!streams) return { status, headers: { 'content-type': 'application/json' }, chunks: [text] };
  if (path.endsWith('.sse')) return { status, chunks: [text] };
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (wire === 'bedrock') {
    const frames = lines.map((line) => {
      const [[name, payload] = ['', {}]] = Object.entries(JSON.parse(line) as Record<string, object>);
      return toEventStreamFrame(name, payload);
    });
    return { status, headers: { 'content-type': 'application/vnd.amazon.eventstream' }, chunks: frames };
  }
  const end = wire.startsWith('openai') ? 'data: [DONE]\n\n' : '';
  return { status, chunks: [lines.map((line) => `data: ${line}\n\n`).join('') + end] };
}

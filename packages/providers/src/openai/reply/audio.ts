import type { ProviderEvent } from '@kernel/protocol';
import { asFields, asNumber, asText } from '../../json-fields.ts';
import type { MessageBuilder } from '../../wire/message-builder.ts';
import { fromBase64, toBase64 } from '@kernel/internal';
import { concatBytes } from '../../http/join-bytes.ts';

const UNKNOWN_TYPE = 'application/octet-stream';

export function createSpokenReply(
  builder: MessageBuilder,
  emit: (event: ProviderEvent) => void,
  mimeType = UNKNOWN_TYPE,
) {
  const fill = builder.reserve();
  const joiner = createBase64Joiner();
  let id: string | undefined;
  let expiresAt: number | undefined;
  let transcript = '';

  function emitData(data: string | undefined): void {
    if (data === undefined) throw builder.protocolError('the audio of the reply is not base64');
    if (data !== '') emit({ type: 'audio-delta', data, mimeType });
  }

  return {
    read(audio: unknown) {
      const fields = asFields(audio);
      id = asText(fields?.['id']) ?? id;
      expiresAt = asNumber(fields?.['expires_at']) ?? expiresAt;
      const words = asText(fields?.['transcript']) ?? '';
      transcript += words;
      builder.spokenText(words);
      emitData(joiner.add(asText(fields?.['data']) ?? ''));
    },
    end() {
      emitData(joiner.end());
      const data = joiner.joined();
      if (data === '' && transcript === '') return;
      fill(
        Object.freeze({
          type: 'audio',
          mimeType,
          data,
          ...(transcript === '' ? {} : { transcript }),
          ...(id === undefined ? {} : { providerData: { id, ...(expiresAt === undefined ? {} : { expiresAt }) } }),
        }),
      );
    },
  };
}

export type SpokenReply = ReturnType<typeof createSpokenReply>;

const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

// Pieces are complete texts, each with its padding, or one text that was cut anywhere. A run is base64 up to its padding. Linear: at most three
// characters wait for the next piece.
export function createBase64Joiner() {
  const pieces: string[] = [];
  let pending = '';

  function keep(runs: readonly string[]): string {
    const piece = joinRuns(runs);
    if (piece !== '') pieces.push(piece);
    return piece;
  }

  return {
    /** Returns the new whole bytes as base64; undefined if the piece is not base64. */
    add(text: string) {
      const all = pending + text.replaceAll('-', '+').replaceAll('_', '/').replaceAll(/\s/g, '');
      if (NOT_BASE64.test(all)) return undefined;
      // A run ends with its padding.
      const runs = all.split(/(?<==)(?!=)/);
      const last = runs.at(-1) ?? '';
      const complete = last.length - (last.length % 4);
      pending = last.slice(complete);
      const whole = [...runs.slice(0, -1), last.slice(0, complete)];
      return whole.every(isRun) && pending.length < 4 ? keep(whole) : undefined;
    },
    /** Returns undefined if the remaining bytes are incomplete. */
    end() {
      const rest = pending === '' ? '' : pending.replaceAll('=', '').padEnd(4, '=');
      pending = '';
      return isRun(rest) ? keep([rest]) : undefined;
    },
    joined: () => joinRuns(pieces),
  };
}

/** Whether a text is whole groups of four characters, of which the last may have padding. */
function isRun(run: string): boolean {
  return run.length % 4 === 0 && /^[^=]*={0,2}$/.test(run);
}

/** Runs are encoded again only if one before the last has padding. */
function joinRuns(runs: readonly string[]): string {
  const given = runs.filter((run) => run !== '');
  if (given.slice(0, -1).every((run) => !run.endsWith('='))) return given.join('');
  return toBase64(concatBytes(given.map((run) => fromBase64(run))));
}

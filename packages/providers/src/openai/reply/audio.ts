import type { ProviderEvent } from '@kernel/protocol';
import { asFields, asNumber, asText } from '../../json-fields.ts';
import type { MessageBuilder } from '../../wire/message-builder.ts';
import { createBase64Joiner } from './base64-joiner.ts';

export interface SpokenReply {
  read(audio: unknown): void;
  end(): void;
}

const UNKNOWN_TYPE = 'application/octet-stream';

export function createSpokenReply(
  builder: MessageBuilder,
  emit: (event: ProviderEvent) => void,
  mimeType = UNKNOWN_TYPE,
): SpokenReply {
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
    read(audio) {
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

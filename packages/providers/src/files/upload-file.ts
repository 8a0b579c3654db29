import { checkKeys, invalidOption, KernelError, optionKeys } from '@kernel/protocol';
import type { AnthropicConfig } from '../anthropic/config.ts';
import { anthropicWire } from '../anthropic/wire.ts';
import type { GeminiConfig } from '../gemini/config.ts';
import { uploadGeminiFile } from '../gemini/upload.ts';
import { geminiWire } from '../gemini/wire.ts';
import type { ChatConfig } from '../openai/config.ts';
import { CHAT_PRESETS } from '../openai/presets.ts';
import { chatWire } from '../openai/wire.ts';
import type { ResponsesConfig } from '../responses/config.ts';
import { responsesWire } from '../responses/wire.ts';
import { openWire } from '../wire/wire.ts';
import type { FileUpload, UploadedFile } from './types.ts';
import { uploadForm } from './upload-form.ts';

/** The config of a provider whose vendor takes files: OpenAI by either of its APIs, a server that has its files too, Anthropic or Gemini. */
export type FileConfig = ChatConfig | ResponsesConfig | AnthropicConfig | GeminiConfig;

const KEYS = optionKeys<FileUpload>({ data: true, mimeType: true, name: true, purpose: true, signal: true });
const PURPOSE = 'user_data';

/**
 * Uploads a file to the vendor of a config, and resolves to the part with which messages name it. Throws `PROVIDER_UNSUPPORTED` for a vendor
 * without files; a limit that the vendor has is its error. Nothing is retried.
 */
export async function uploadFile(config: FileConfig, file: FileUpload): Promise<UploadedFile> {
  checkKeys('uploadFile', file, KEYS);
  const { data, mimeType, name: fileName, purpose = PURPOSE }: { readonly [K in keyof FileUpload]: unknown } = file;
  if (!(data instanceof Uint8Array)) throw invalidOption('uploadFile', 'data', 'a Uint8Array', data);
  for (const [key, value] of Object.entries({ mimeType, name: fileName, purpose }))
    if (typeof value !== 'string' || value === '')
      throw invalidOption('uploadFile', key, 'a text that is not empty', value);
  const name: string = config.name;
  const fields = [['purpose', file.purpose ?? PURPOSE]] as const;
  switch (config.name) {
    case 'anthropic': {
      const { context, settings } = openWire(anthropicWire, config);
      return uploadForm(context, name, `${settings.basePath}/files${settings.query}`, [], file);
    }
    case 'gemini': {
      const { context, settings } = openWire(geminiWire, config);
      return uploadGeminiFile(context, settings, file);
    }
    case 'openai-responses': {
      const { context, settings } = openWire(responsesWire, config);
      return uploadForm(context, name, `${settings.basePath}/files${settings.query}`, fields, file);
    }
    default: {
      if (name === 'azure' || name === 'ollama' || !CHAT_PRESETS.has(name)) {
        throw new KernelError('PROVIDER_UNSUPPORTED', `There is no upload for "${name}".`, {
          hint: 'Use openai, openai-responses, anthropic, gemini, or a server that has the files of OpenAI.',
        });
      }
      const { context, settings } = openWire(chatWire, config);
      return uploadForm(context, name, settings.path('files'), fields, file);
    }
  }
}

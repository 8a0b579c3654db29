import { invalidOption, KernelError } from '@kernel/protocol';
import type { AnthropicConfig } from '../anthropic/config.ts';
import { anthropicWire } from '../anthropic/wire.ts';
import type { GeminiConfig } from '../gemini/config.ts';
import { uploadGeminiFile } from '../gemini/upload.ts';
import { geminiWire } from '../gemini/wire.ts';
import type { ChatConfig } from '../openai/config.ts';
import { isChatName } from '../openai/presets.ts';
import { chatWire } from '../openai/wire.ts';
import type { ResponsesConfig } from '../responses/config.ts';
import { responsesWire } from '../responses/wire.ts';
import { openWire } from '../wire/wire.ts';
import { uploadForm } from './upload-form.ts';
import type { FileUpload, UploadedFile } from './types.ts';

/** The config of a provider whose vendor takes files: either API of OpenAI, a server compatible with its files, Anthropic or Gemini. */
export type FileConfig = ChatConfig | ResponsesConfig | AnthropicConfig | GeminiConfig;

const PURPOSE = 'user_data';

/**
 * Uploads a file to the vendor of a config, and resolves to its id and the message part that refers to it. Throws `PROVIDER_UNSUPPORTED` for a
 * vendor without files, and `PROVIDER_HTTP` for a file that the vendor refuses. Nothing is retried.
 *
 * @example
 * ```ts
 * import { uploadFile } from '@kernel/providers/files';
 *
 * const token = process.env['OPENAI_API_KEY'] ?? '';
 * const file = await uploadFile({ name: 'openai', token }, { data: new Uint8Array(), name: 'a.pdf', mimeType: 'application/pdf' });
 * ```
 */
export async function uploadFile(config: FileConfig, file: FileUpload): Promise<UploadedFile> {
  const { data, mimeType, name: fileName, purpose = PURPOSE }: { readonly [K in keyof FileUpload]: unknown } = file;
  if (!(data instanceof Uint8Array)) throw invalidOption('uploadFile', 'data', 'a Uint8Array', data);
  for (const [key, value] of Object.entries({ mimeType, name: fileName, purpose }))
    if (typeof value !== 'string' || value === '') throw invalidOption('uploadFile', key, 'a non-empty string', value);
  const name: string = config.name;
  const fields = [['purpose', file.purpose ?? PURPOSE]] as const;
  switch (config.name) {
    case 'gemini': {
      const { context, settings } = openWire(geminiWire, config);
      return uploadGeminiFile(context, settings, file);
    }
    case 'anthropic':
    case 'openai-responses': {
      const isAnthropic = config.name === 'anthropic';
      const { context, settings } = isAnthropic ? openWire(anthropicWire, config) : openWire(responsesWire, config);
      return uploadForm(context, `${settings.basePath}/files${settings.query}`, isAnthropic ? [] : fields, file);
    }
    default: {
      if (!isChatName(name)) {
        throw new KernelError('PROVIDER_UNSUPPORTED', `"${name}" does not take uploads.`, {
          hint: 'Use openai, openai-responses, anthropic, gemini, or a server compatible with the files of OpenAI.',
        });
      }
      const { context, settings } = openWire(chatWire, config);
      return uploadForm(context, settings.path('files'), fields, file);
    }
  }
}

import { expect } from 'vitest';

/** Replies that are refused, and why: the status that a server sends them with, and what the error says. */
export const REFUSED: ReadonlyMap<string, { readonly status?: number; readonly error: object }> = new Map([
  [
    // The body of an error, with the wait that it asks for.
    'google/google-429-retry-info.json',
    { status: 429, error: { code: 'PROVIDER_HTTP', retryable: true, data: { status: 429, retryAfterMs: 34_400 } } },
  ],
  [
    // The body of an error.
    'openai-responses/openai-error.1.json',
    { status: 429, error: { code: 'PROVIDER_HTTP', data: { status: 429, vendorCode: 'insufficient_quota' } } },
  ],
  [
    // An error in the middle of a stream.
    'openai-responses/openai-error.1.chunks.txt',
    { error: { code: 'PROVIDER_PROTOCOL', data: { vendorCode: 'insufficient_quota' } } },
  ],
  [
    // The body of an error.
    'openai-responses/reasoning-model-temperature-error.json',
    { status: 400, error: { code: 'PROVIDER_HTTP', retryable: false, data: { status: 400 } } },
  ],
  [
    // The body of an error.
    'openai-chat/reasoning-model-legacy-parameter-error.json',
    { status: 400, error: { code: 'PROVIDER_HTTP', retryable: false, data: { vendorCode: 'unsupported_parameter' } } },
  ],
  [
    // Its last line has quotes that are not escaped.
    'openai-responses/parallel-tool-call-wrapper.1.chunks.txt',
    { error: { code: 'PROVIDER_PROTOCOL', message: expect.stringContaining('not valid JSON') } },
  ],
]);

/** Transcriptions: they are served to `transcribe`. */
export const TRANSCRIPTS: ReadonlyMap<string, string> = new Map([
  ['groq/groq-transcription-text.json', 'Hello from the Versal AISDK.'],
  ['mistral/mistral-transcription.json', 'Galileo was an American robotic space program'],
]);

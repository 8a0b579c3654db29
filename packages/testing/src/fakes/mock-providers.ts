import type { FinishReason, Usage } from '@kernel/protocol';
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.ts';
import type { ScriptedCall } from './scripted-reply.ts';

// Each answers every request the same way and records it.
const ALWAYS = { name: 'mock', repeat: true };

/** Creates a provider that answers every request with one text. */
export function chatProvider(text: string, usage?: Usage): ScriptedProvider {
  return scriptedProvider([{ text, usage }], ALWAYS);
}

/** Creates a provider that streams these pieces of text for every request. */
export function streamingChatProvider(chunks: readonly string[], usage?: Usage): ScriptedProvider {
  return scriptedProvider([{ chunks, usage }], ALWAYS);
}

/** Creates a provider that asks for the same calls every time. */
export function toolsProvider(calls: readonly ScriptedCall[], text?: string): ScriptedProvider {
  return scriptedProvider([{ calls, text }], ALWAYS);
}

/** Creates a provider that streams text and arguments in pieces. */
export function streamingToolsProvider(
  calls: readonly ScriptedCall[],
  chunks: readonly string[] = [],
): ScriptedProvider {
  return scriptedProvider([{ calls, chunks, pieces: 3 }], ALWAYS);
}

/** Creates a provider that returns the same vectors for every input. */
export function embeddingsProvider(embeddings: readonly (readonly number[])[]): ScriptedProvider {
  return scriptedProvider([{ embeddings }], ALWAYS);
}

/** Creates a provider that returns the same text for every recording. */
export function audioProvider(transcript: string): ScriptedProvider {
  return scriptedProvider([{ transcript }], ALWAYS);
}

/** The answers of a provider of several protocols. */
export interface MultiProtocolAnswers {
  /** The text for chat and vision. */
  readonly text: string;
  /** The calls, for requests that offer tools. */
  readonly calls?: readonly ScriptedCall[] | undefined;
  /** The vectors. */
  readonly embeddings: readonly (readonly number[])[];
  /** The text for recordings. */
  readonly transcript: string;
  /** The finish reason of chat replies. */
  readonly finishReason?: FinishReason | undefined;
}

/** Creates a provider that answers chat, vision, tools, embeddings and audio, each by its kind. */
export function multiProtocolProvider(answers: MultiProtocolAnswers): ScriptedProvider {
  const { text, calls, finishReason } = answers;
  const chat = scriptedProvider(
    [(request) => ({ text, finishReason, ...(request.tools === undefined ? {} : { calls }) })],
    ALWAYS,
  );
  const vectors = embeddingsProvider(answers.embeddings);
  const audio = audioProvider(answers.transcript);
  return {
    ...chat,
    get requests() {
      return [...chat.requests, ...vectors.requests, ...audio.requests];
    },
    embed: (request) => vectors.embed(request),
    transcribe: (request) => audio.transcribe(request),
  };
}

/** Creates a provider that fails every request with the same error. */
export function failingProvider(error: Error): ScriptedProvider {
  return scriptedProvider([{ error }], ALWAYS);
}

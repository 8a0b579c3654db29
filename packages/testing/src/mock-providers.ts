import type { FinishReason, Usage } from '@kernel/protocol';
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.ts';
import type { ScriptedCall } from './scripted-reply.ts';

// Each answers every request alike, and records them.
const ALWAYS = { name: 'mock', repeat: true };

/** A simple chat: one text. */
export function chatProvider(text: string, usage?: Usage): ScriptedProvider {
  return scriptedProvider([{ text, usage }], ALWAYS);
}

/** A chat that streams these pieces. */
export function streamingChatProvider(chunks: readonly string[], usage?: Usage): ScriptedProvider {
  return scriptedProvider([{ chunks, usage }], ALWAYS);
}

/** A reply that asks for calls. */
export function toolsProvider(calls: readonly ScriptedCall[], text?: string): ScriptedProvider {
  return scriptedProvider([{ calls, text }], ALWAYS);
}

/** A reply whose text and arguments stream in pieces. */
export function streamingToolsProvider(
  calls: readonly ScriptedCall[],
  chunks: readonly string[] = [],
): ScriptedProvider {
  return scriptedProvider([{ calls, chunks, pieces: 3 }], ALWAYS);
}

/** The same vectors for every input. */
export function embeddingsProvider(embeddings: readonly (readonly number[])[]): ScriptedProvider {
  return scriptedProvider([{ embeddings }], ALWAYS);
}

/** The same text for every recording. */
export function audioProvider(transcript: string): ScriptedProvider {
  return scriptedProvider([{ transcript }], ALWAYS);
}

/** What a provider of several protocols answers to each. */
export interface MultiProtocolAnswers {
  readonly text: string;
  readonly calls?: readonly ScriptedCall[] | undefined;
  readonly embeddings: readonly (readonly number[])[];
  readonly transcript: string;
  readonly finishReason?: FinishReason | undefined;
}

/** Answers chat, vision, tools, embeddings and audio, each by its kind. Calls are given only to requests that offer tools. */
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

/** Fails every request with the same error. */
export function failingProvider(error: Error): ScriptedProvider {
  return scriptedProvider([{ error }], ALWAYS);
}

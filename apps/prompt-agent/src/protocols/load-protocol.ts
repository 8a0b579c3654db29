import type { Invocation } from '../invocation.ts';
import type { ProtocolName } from './names.ts';

/** Makes one raw call with a prompt and resolves with the exit code. */
export type CallProtocol = (invocation: Invocation, prompt: string) => Promise<number>;

/** Loads what makes a raw call. */
export const LOAD_PROTOCOL: Readonly<Record<ProtocolName, () => Promise<CallProtocol>>> = {
  chat: async () => (await import('./chat.ts')).chat,
  vision: async () => (await import('./vision.ts')).vision,
  tools: async () => (await import('./tools.ts')).tools,
  embeddings: async () => (await import('./embeddings.ts')).embeddings,
  audio: async () => (await import('./audio.ts')).audio,
};

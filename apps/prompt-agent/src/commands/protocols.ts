import type { Invocation } from '../invocation.ts';
import { audio } from './audio.ts';
import { chat } from './chat.ts';
import { embeddings } from './embeddings.ts';
import { tools } from './tools.ts';
import { vision } from './vision.ts';

/** The raw protocol calls by name: one request without the agent. Each returns the exit code. */
export const PROTOCOLS = { chat, vision, tools, embeddings, audio } satisfies Readonly<
  Record<string, (invocation: Invocation) => Promise<number>>
>;

/** The name of a raw protocol. */
export type ProtocolName = keyof typeof PROTOCOLS;

/** All names, in the order of the help. */
export const PROTOCOL_NAMES: readonly string[] = ['chat', 'vision', 'tools', 'embeddings', 'audio'];

/** Whether a name is that of a protocol. */
export function isProtocol(name: string): name is ProtocolName {
  return PROTOCOL_NAMES.includes(name);
}

import type { Session } from '../session.ts';
import { audio } from './audio.ts';
import { chat } from './chat.ts';
import { embeddings } from './embeddings.ts';
import { tools } from './tools.ts';
import { vision } from './vision.ts';

/** The raw protocol calls of seed 000, by name: one request, no agent. Each returns the exit code. */
export const PROTOCOLS = { chat, vision, tools, embeddings, audio } satisfies Readonly<
  Record<string, (session: Session) => Promise<number>>
>;

/** The name of a raw protocol. */
export type ProtocolName = keyof typeof PROTOCOLS;

/** All names, as they are listed to the user. */
export const PROTOCOL_NAMES: readonly string[] = ['chat', 'vision', 'tools', 'embeddings', 'audio'];

/** Says whether a name is a protocol's. */
export function isProtocol(name: string): name is ProtocolName {
  return PROTOCOL_NAMES.includes(name);
}

/** The raw protocol calls, in the order of the help: one request without the agent. */
export const PROTOCOL_NAMES = ['chat', 'vision', 'tools', 'embeddings', 'audio'] as const;

/** The name of a raw protocol. */
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** Whether a name is that of a protocol. */
export function isProtocol(name: string): name is ProtocolName {
  return PROTOCOL_NAMES.some((each) => each === name);
}

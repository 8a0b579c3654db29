import { KernelError, type Message, type SystemMessage, toolCallsOf } from '@kernel/protocol';

/** What one side says at a stretch: wires that want the sides to alternate get one message a turn. @internal */
interface Turn {
  readonly role: 'user' | 'assistant';
  /** Tool results first, in the order of their calls. */
  readonly messages: readonly Message[];
}

/** A turn as a wire writes it. @internal */
export interface WrittenTurn {
  readonly role: Turn['role'];
  /** Content blocks as JSON text; never empty. */
  readonly blocks: readonly string[];
}

/** A history by turns. @internal */
export interface Turns {
  /** The instructions of all system messages, in order. */
  readonly system: readonly string[];
  readonly turns: readonly WrittenTurn[];
}

/**
 * Gathers a history into turns: all results of a turn, and what the user adds, stand in the one user turn behind the calls.
 * A turn of which `write` makes nothing is left out, and the turns on both sides of it become one.
 * @internal
 */
export function toTurns(messages: readonly Message[], write: (message: Message) => readonly string[]): Turns {
  const system: string[] = [];
  const turns: { role: Turn['role']; messages: Message[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system') {
      if (message.content !== '') system.push(message.content);
      continue;
    }
    const role = roleOf(message);
    const last = turns.at(-1);
    if (last?.role === role) last.messages.push(message);
    else turns.push({ role, messages: [message] });
  }
  const written: { role: Turn['role']; blocks: string[] }[] = [];
  for (const [at, turn] of turns.entries()) {
    const { role, messages: said } = turn.role === 'user' ? ordered(turn, turns[at - 1]) : turn;
    const blocks = said.flatMap(write);
    const last = written.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else if (blocks.length > 0) written.push({ role, blocks });
  }
  return { system, turns: written };
}

function ordered(turn: Turn, before: Turn | undefined): Turn {
  if (!turn.messages.some((message) => message.role === 'tool')) return turn;
  const ids = (before?.messages ?? []).flatMap((message) => toolCallsOf(message).map((call) => call.id));
  const place = new Map(ids.map((id, at) => [id, at]));
  const rank = (message: Message): number =>
    message.role === 'tool' ? (place.get(message.toolCallId) ?? ids.length) : ids.length + 1;
  return { role: 'user', messages: turn.messages.toSorted((a, b) => rank(a) - rank(b)) };
}

function roleOf(message: Exclude<Message, SystemMessage>): Turn['role'] {
  switch (message.role) {
    case 'assistant':
      return 'assistant';
    case 'user':
    case 'tool':
      return 'user';
    default:
      throw unknownRole(message);
  }
}

/** The error of a message whose role is none of the four. @internal */
export function unknownRole(message: unknown): KernelError {
  const role = typeof message === 'object' && message !== null && 'role' in message ? message.role : undefined;
  return new KernelError('CONFIG_INVALID', `A message has the unknown role "${String(role)}".`, {
    hint: 'Roles are system, user, assistant and tool.',
  });
}

/** Makes a cache of what a message was written as: frozen messages are written once, others each time. @internal */
export function onceEach<T>(write: (message: Message) => T): (message: Message) => T {
  const written = new WeakMap<Message, T>();
  return (message) => {
    const known = written.get(message);
    if (known !== undefined) return known;
    const text = write(message);
    if (Object.isFrozen(message)) written.set(message, text);
    return text;
  };
}

/** The port to people: a destination for messages. */
export interface MessageChannel {
  /** Its name, by which a model selects it. */
  readonly name: string;
  /** Delivers a message. Rejects with a `KernelError` whose message is for the model. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<void>;
}

/** A message to people. */
export interface OutgoingMessage {
  /** What it says; Markdown. */
  readonly text: string;
  /** The same for every attempt at the same call, so that a receiver can drop repeats. */
  readonly id: string;
}

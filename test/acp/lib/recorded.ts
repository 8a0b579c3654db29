/** What happened in a recorded session, in order: a message of either side, or a file that the agent itself wrote. */
export type RecordedEvent = RecordedMessage | RecordedWrite;

/** A message of a recorded session. */
export interface RecordedMessage {
  /** Who sent it. */
  readonly from: Side;
  readonly message: JsonRpcMessage;
}

/** A file that the agent wrote without asking the client to. */
export interface RecordedWrite {
  readonly wrote: string;
  readonly text: string;
}

/** An end of the connection. */
export type Side = 'agent' | 'client';

/** A JSON-RPC message: a request has an id and a method, a notification a method, an answer an id. */
export interface JsonRpcMessage {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A session of an agent as it was on the wire, in both directions. */
export interface Recording {
  /** Which version of which package the agent was. */
  readonly agent: string;
  readonly events: readonly RecordedEvent[];
}

/** Stands in recordings for the folder of the project. */
export const FOLDER = '<folder>';

/** Whether an event is a message. */
export function isMessage(event: RecordedEvent): event is RecordedMessage {
  return 'message' in event;
}

/** Reads a recording: a line with the agent, then a line for each event. */
export function parseRecording(text: string): Recording {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const { agent } = JSON.parse(head) as { readonly agent: string };
  return { agent, events: lines.map((line) => JSON.parse(line) as RecordedEvent) };
}

/**
 * Writes a recording, with `replacements` in place of what belongs to one machine alone. Of what an agent says about its commands and models only the first words are
 * kept.
 */
export function formatRecording(recording: Recording, replacements: readonly (readonly [string, string])[]): string {
  const shorten = (key: string, value: unknown): unknown =>
    key === 'description' && typeof value === 'string' ? value.split(/\s+/).slice(0, 8).join(' ') : value;
  const lines = [{ agent: recording.agent }, ...recording.events].map((line) => JSON.stringify(line, shorten));
  let text = `${lines.join('\n')}\n`;
  for (const [from, to] of replacements) text = text.replaceAll(from, to);
  return text;
}

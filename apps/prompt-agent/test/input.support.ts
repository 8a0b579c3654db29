import { startWireServer, type WireReply, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach } from 'vitest';
import { type Outcome, promptHere, type Start } from './program.ts';

/** Starts a server for each test of a file. It answers with `replies`, one after the other, and then always `ok`. */
export function serverOfEachTest() {
  let server: WireServer;
  const replies: WireReply[] = [];
  beforeEach(async () => {
    replies.length = 0;
    server = await startWireServer({ replies: () => replies.shift() ?? { text: 'ok' } });
  });
  afterEach(() => server.close());

  /** The messages of the last request. */
  const messages = (): readonly { readonly role: string; readonly content: unknown }[] => {
    const { body } = server.requests.at(-1) ?? { body: { messages: [] } };
    return (body as { messages: ReturnType<typeof messages> }).messages;
  };
  return {
    server: () => server,
    replies,
    messages,
    /** Asks the server and returns what the program did. */
    ask: (args: readonly string[], start: Start = {}): Promise<Outcome> =>
      promptHere(['--base-url', server.baseUrl, '--model', 'm', ...args], start),
    /** The content of the user's message in the last request. */
    sent: (): unknown => messages().findLast(({ role }) => role === 'user')?.content,
  };
}

/** The text of a part. */
export const text = (content: string): object => ({ type: 'text', text: content });

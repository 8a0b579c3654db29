import type {
  PermissionOptionKind,
  ReadTextFileResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  Stream,
} from '@agentclientprotocol/sdk/unstable';
import { type EditorFiles, editorClient, type EditorOptions, type SeenByEditor } from './editor-client.ts';
import { UNCHANGED } from './stage.ts';
import { FOLDER, isMessage, type RecordedMessage, type Recording } from './recorded.ts';

/**
 * Has the session that a client had, with another agent at the other end: its requests with their parameters, in order, and to questions the answers that it gave.
 * Files and terminals are real, unless the client refused to read or made the text up.
 */
export async function replayClient(stream: Stream, { events }: Recording, folder: string): Promise<SeenByEditor> {
  const messages = events.filter(isMessage);
  const answers = permissionsOf(messages);
  const seen: SeenByEditor = { text: '', permissions: [], updates: new Set(), commands: [] };
  let onText = (): void => {};
  /** The session has another id here. */
  let session: readonly [string, string] = ['', ''];
  const options: EditorOptions = {
    permission: (at) => answers[at] ?? 'reject_once',
    files: filesOf(messages),
    onText: () => onText(),
  };
  await editorClient(seen, options).connectWith(stream, async (agent) => {
    const open: Promise<unknown>[] = [];
    let written = Promise.resolve();
    for (const [at, { from, message }] of messages.entries()) {
      const { id, method } = message;
      if (from !== 'client' || method === undefined) continue;
      const text = JSON.stringify(message.params).replaceAll(FOLDER, folder);
      const params = JSON.parse(session[0] === '' ? text : text.replaceAll(...session)) as unknown;
      if (id === undefined) {
        await written;
        await agent.notify(method, params);
        continue;
      }
      if (method === 'session/prompt') {
        written = new Promise((resolve) => {
          onText = resolve;
        });
      }
      const answer = agent.request(method, params);
      const recorded = messages.findIndex((each) => each.from === 'agent' && isAnswer(each, id));
      const next = messages.findIndex(
        (each, index) => index > at && each.from === 'client' && each.message.method !== undefined,
      );
      if (method === 'session/new') session = [sessionOf(messages[recorded]?.message.result), sessionOf(await answer)];
      // What it asked next, it asked with this answer or without it.
      else if (next === -1 || recorded < next) await answer;
      else open.push(answer);
    }
    await Promise.all(open);
  });
  return seen;
}

function isAnswer({ message }: RecordedMessage, id: unknown): boolean {
  return message.method === undefined && message.id === id;
}

function sessionOf(result: unknown): string {
  return (result as { readonly sessionId: string }).sessionId;
}

/** The kinds of the options that the client chose, in order. */
function permissionsOf(messages: readonly RecordedMessage[]): readonly PermissionOptionKind[] {
  return messages.flatMap(({ from, message: { id, method, params } }) => {
    if (from !== 'agent' || method !== 'session/request_permission') return [];
    const answer = messages.find((each) => each.from === 'client' && isAnswer(each, id));
    const { outcome } = (answer?.message.result ?? { outcome: { outcome: 'cancelled' } }) as RequestPermissionResponse;
    const { options } = params as RequestPermissionRequest;
    const chosen = options.find(({ optionId }) => outcome.outcome === 'selected' && optionId === outcome.optionId);
    return [chosen?.kind ?? 'reject_once'];
  });
}

/** How the client read files, as far as that is not from disk. */
function filesOf(messages: readonly RecordedMessage[]): EditorFiles {
  const request = messages.find(({ message }) => message.method === 'fs/read_text_file');
  const answer = messages.find((each) => each.from === 'client' && isAnswer(each, request?.message.id))?.message;
  if (request === undefined || answer === undefined) return {};
  if (answer.error !== undefined) return { refusal: answer.error };
  const { content } = answer.result as ReadTextFileResponse;
  return content === UNCHANGED ? {} : { always: content };
}

import { createLock, isObject, untilAborted, visible } from '@kernel/internal';
import { formLine, samplingLines, urlLines } from '../questions/answer-servers.ts';
import type { ServerAnswers } from '../questions/server-answers.ts';
import { type FieldValue, fieldsOf, type FormField } from '../questions/form-fields.ts';

interface OpenQuestion {
  readonly fields: readonly FormField[];
  readonly settle: (values: Readonly<Record<string, FieldValue>> | undefined) => void;
}

/** What the page shows of a question: lines that are escaped, and what the buttons say. */
interface Asked {
  readonly lines: readonly string[];
  readonly yes: string;
  readonly fields?: readonly FormField[];
  readonly url?: string;
}

/**
 * Asks the person at the page what MCP servers want to know, one question after the other, in the same lines as on a terminal. A question is shown in every chat that
 * waits for an answer just then: the first answer counts. Where none does, nobody is asked.
 */
export function createServerQuestions(model: string) {
  const open = new Map<string, OpenQuestion>();
  const chats = new Set<(event: object) => void>();
  const lock = createLock();
  const tell = (event: object): void => {
    for (const chat of chats) chat(event);
  };
  const ask = (
    { lines, yes, url, fields = [] }: Asked,
    signal: AbortSignal,
  ): Promise<Parameters<OpenQuestion['settle']>[0]> =>
    lock(async () => {
      if (chats.size === 0 || signal.aborted) return undefined;
      const id = crypto.randomUUID();
      const answered = new Promise<Parameters<OpenQuestion['settle']>[0]>((settle) => open.set(id, { fields, settle }));
      const shown = fields.map(({ name, about, otherwise }) => ({
        name,
        about: name === about ? about : `${visible(name)}: ${about}`,
        hint: otherwise === undefined ? '' : `empty: ${otherwise}`,
      }));
      tell({ type: 'server-question', id, lines, yes, fields: shown, ...(url !== undefined && { url }) });
      try {
        return await untilAborted(answered, signal);
      } finally {
        open.delete(id);
        tell({ type: 'server-question-end', id });
      }
    });
  const answers: ServerAnswers = {
    async elicit({ server, message, schema, signal }) {
      const lines = [formLine(server, message), 'What you fill in is sent to the server.'];
      const content = await ask({ lines, yes: 'Send', fields: fieldsOf(schema) }, signal);
      return content === undefined ? { action: 'decline' } : { action: 'accept', content };
    },
    async elicitUrl({ server, message, url, signal }) {
      const lines = urlLines(server, message, url);
      return (await ask({ lines, yes: 'I have opened it', url }, signal)) === undefined ? 'decline' : 'accept';
    },
    approveSampling: async (request) =>
      (await ask({ lines: samplingLines(request, model), yes: 'Send it to the model' }, request.signal)) !== undefined,
  };
  return {
    answers,
    /** Takes an answer of the page. Returns what is wrong with it, and `gone` for a question that is not asked any more. */
    answer(given: unknown): string | undefined {
      const { id, accept, values } = isObject(given) ? given : {};
      const question = typeof id === 'string' ? open.get(id) : undefined;
      if (question === undefined) return 'gone';
      if (accept !== true) question.settle(undefined);
      else {
        const read = readValues(question.fields, isObject(values) ? values : {});
        if (typeof read === 'string') return read;
        question.settle(read);
      }
      return undefined;
    },
    /** Adds the questions to the events of a chat, for as long as these go on. */
    into(response: Response): Response {
      const encoder = new TextEncoder();
      let chat: ((event: object) => void) | undefined;
      const leave = (): void => void (chat && chats.delete(chat));
      const reader = response.body?.getReader();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          chat = (event) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
          chats.add(chat);
        },
        async pull(controller) {
          try {
            const part = await reader?.read();
            if (part?.value !== undefined) return controller.enqueue(part.value);
            leave();
            controller.close();
          } catch (error) {
            leave();
            controller.error(error);
          }
        },
        async cancel(reason) {
          leave();
          await reader?.cancel(reason);
        },
      });
      return new Response(body, { status: response.status, headers: response.headers });
    },
  };
}

export type ServerQuestions = ReturnType<typeof createServerQuestions>;

/** The values of a form, or which of them does not fit. */
function readValues(
  fields: readonly FormField[],
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, FieldValue>> | string {
  const values: [string, FieldValue][] = [];
  for (const { name, about, otherwise, read } of fields) {
    const typed = given[name];
    const text = typeof typed === 'string' ? typed.trim() : '';
    const value = read(text);
    if (value !== undefined) values.push([name, value]);
    else if (text !== '' || otherwise === undefined) return `This does not fit: ${about}`;
  }
  return Object.fromEntries(values);
}

import { isObject } from '@kernel/internal';
import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { ClientSdk } from '../transport/server-link.ts';

type Handler = (request: unknown, context: { readonly mcpReq: { readonly signal: AbortSignal } }) => unknown;

/** What handles the questions of a server: as requests, as results of a call (both by the SDK), and in a task. */
export type QuestionHandlers = Pick<Client, 'setRequestHandler'>;

export function createQuestionHandlers(sdk: ClientSdk, client: Client) {
  const handlers = new Map<string, Handler>();
  const set = (method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list', handler: never): void => {
    handlers.set(method, handler);
    client.setRequestHandler(method, handler);
  };
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of its forms, the one with a known method
    setRequestHandler: set as Client['setRequestHandler'],
    /** Answers a question of a task. Resolves to undefined if this client is unable to. */
    async answer(request: unknown, signal: AbortSignal): Promise<unknown> {
      const method = isObject(request) ? request['method'] : undefined;
      const handler = typeof method === 'string' ? handlers.get(method) : undefined;
      const { ElicitRequest, CreateMessageRequest, ListRootsRequest } = sdk.isSpecType;
      const isElicitation = ElicitRequest(request);
      if (handler === undefined || !(isElicitation || CreateMessageRequest(request) || ListRootsRequest(request)))
        return undefined;
      const answer = await handler(request, { mcpReq: { signal } });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the handler of elicitation returns
      return isElicitation ? withDefaults(request.params, answer as ElicitResult) : answer;
    },
  };
}

/** Fills in the defaults of a form, as the SDK does for a question that comes as a request. */
function withDefaults(params: ElicitRequest['params'], answer: ElicitResult): ElicitResult {
  if (answer.action !== 'accept' || params.mode === 'url') return answer;
  const defaults = Object.entries(params.requestedSchema.properties).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  return { ...answer, content: { ...Object.fromEntries(defaults), ...answer.content } };
}

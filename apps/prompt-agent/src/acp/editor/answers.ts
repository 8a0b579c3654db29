import { randomUUID } from 'node:crypto';
import { isObject, sha256Hex } from '@kernel/internal';
import type { McpAnswer } from '@kernel/mcp';
import type { CreateElicitationRequest, ElicitationSchema } from '@agentclientprotocol/sdk/unstable';
import { formLine, samplingLines, urlLines } from '../../questions/answer-servers.ts';
import type { ServerAnswers } from '../../questions/server-answers.ts';
import type { Editor } from '../../editor.ts';
import type { EditorConnection } from './editor-connection.ts';

interface AnswersOptions extends EditorConnection {
  readonly model: () => string;
  readonly confirm: Editor['confirm'];
}

/** Lets MCP servers ask the person at the editor: forms and pages where the editor has them, otherwise nobody. */
export function createAnswers({ client, capabilities, sessionId, model, confirm }: AnswersOptions): ServerAnswers {
  const { form, url } = capabilities.elicitation ?? {};
  const ask = async (request: CreateElicitationRequest, signal: AbortSignal): Promise<McpAnswer> => {
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const answer = await client.request('elicitation/create', request, options);
    if (answer.action !== 'accept') return { action: answer.action === 'decline' ? 'decline' : 'cancel' };
    const content = isObject(answer) && isObject(answer['content']) ? answer['content'] : {};
    return { action: 'accept', content: Object.fromEntries(Object.entries(content).flatMap(toValue)) };
  };
  return {
    ...(form != null && {
      elicit: ({ server, message, schema, signal }) =>
        ask({ mode: 'form', sessionId, message: formLine(server, message), requestedSchema: toForm(schema) }, signal),
    }),
    ...(url != null && {
      async elicitUrl({ server, message, url: address, signal }) {
        const lines = urlLines(server, message, address);
        const elicitationId = sha256Hex(`${server} ${address} ${randomUUID()}`).slice(0, 32);
        const request = { mode: 'url' as const, sessionId, elicitationId, url: address, message: lines.join('\n') };
        return (await ask(request, signal)).action;
      },
    }),
    approveSampling: async (request) =>
      (await confirm(samplingLines(request, model()), 'Send it to the model?', request.signal)) === true,
  };
}

function toValue([name, value]: [string, unknown]): [string, string | number | boolean | readonly string[]][] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? [[name, value]] : [];
}

/** The form of an MCP server, which the protocol has in the same words. */
function toForm(schema: unknown): ElicitationSchema {
  const { properties, required, title, description } = isObject(schema) ? schema : {};
  return {
    type: 'object',
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are the flat schemas of MCP's elicitation
    properties: (isObject(properties) ? properties : {}) as NonNullable<ElicitationSchema['properties']>,
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string') }),
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  };
}

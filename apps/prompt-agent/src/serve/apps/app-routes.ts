import { isObject } from '@kernel/internal';
import type { AppAnswer, AppHost } from './app-host.ts';

export interface AppRequest {
  /** What follows `/apps`. */
  readonly path: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** What is shown of a call that is asked about. */
export type DescribeCall = (name: string, json: string) => Promise<readonly object[]>;

/**
 * Answers the requests about apps: `POST /apps` opens the app of a call, `/apps/ID/calls` makes a call of it, `/apps/ID/decisions` decides on the one that
 * waits. Returns undefined for any other.
 */
export async function answerAppRequest(
  host: AppHost,
  { body, path, signal }: AppRequest,
  describe: DescribeCall,
): Promise<object | undefined> {
  const fields = isObject(body) ? body : {};
  if (path === '') {
    const { callId, chat } = fields;
    return typeof chat === 'string' && typeof callId === 'string' ? host.open(chat, callId, signal) : undefined;
  }
  const [, id = '', what] = /^\/([\w-]{1,64})\/(calls|decisions)$/.exec(path) ?? [];
  if (what === 'calls' && typeof fields['name'] === 'string')
    return described(await host.call(id, fields['name'], fields['arguments'], signal), describe);
  if (what === 'decisions' && typeof fields['question'] === 'string')
    return described(await host.decide(id, fields['question'], fields['decision'] === 'allow', signal), describe);
  return undefined;
}

async function described(answer: AppAnswer, describe: DescribeCall): Promise<object> {
  if (!('question' in answer)) return answer;
  const { id, name, arguments: json } = answer.question;
  return { question: { id, lines: await describe(name, json) } };
}

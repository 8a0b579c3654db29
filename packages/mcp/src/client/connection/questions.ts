import { attempt, isLoopback } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { AskClock } from '../calls/call-clock.ts';
import type { ClientSdk } from '../transport/server-link.ts';
import type { AnswerSampling } from './sampling.ts';

/** A question of a server to the user, asked in the middle of a call. */
export interface McpQuestion {
  /** The name of the server in the config. */
  readonly server: string;
  /** The question. */
  readonly message: string;
  /** JSON Schema of the answer: a flat object. */
  readonly schema: JsonSchema;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The user's answer. Fields that `content` leaves out get the schema's defaults. */
export type McpAnswer =
  /** The user has answered with these values, by the names of the fields. */
  | { readonly action: 'accept'; readonly content: McpAnswerContent }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

interface McpAnswerContent {
  readonly [field: string]: string | number | boolean | readonly string[];
}

export type Elicit = (question: McpQuestion) => Promise<McpAnswer>;

/** A page that a server wants the user to open, in the middle of a call: to sign in somewhere, or to pay. */
export interface McpUrlQuestion {
  /** The name of the server in the config. */
  readonly server: string;
  /** Why. */
  readonly message: string;
  /** The address: `https:`, or `http:` on this machine. It is the server's: show it to the user before it is opened. */
  readonly url: string;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

export type ElicitUrl = (question: McpUrlQuestion) => Promise<McpAnswer['action']>;

/** Who asks the user. */
export interface Elicitation {
  readonly elicit?: Elicit | undefined;
  readonly elicitUrl?: ElicitUrl | undefined;
}

/** A folder that servers may know of. */
export interface McpRoot {
  /** Its address, such as `file:///home/me/project`. */
  readonly uri: string;
  /** What people call it. */
  readonly name?: string;
}

/** The most questions in a minute; further ones get `cancel`. */
const MAX_QUESTIONS = 20;
const MINUTE_MS = 60_000;

/** What answers the questions of a server, as far as this client is able to. */
export interface QuestionOptions {
  readonly elicitation: Elicitation | undefined;
  readonly roots: readonly McpRoot[] | undefined;
  readonly sampling: AnswerSampling | undefined;
}

/**
 * Answers the questions of a server that come as requests or as the result of a call. Returns what answers those of a
 * task, which resolves to undefined for a question that this client is unable to answer.
 */
export function handleQuestions(
  { isSpecType }: ClientSdk,
  client: Client,
  server: string,
  { elicitation, roots, sampling }: QuestionOptions,
  clock: AskClock,
) {
  const elicit = elicitation && createElicitation(server, elicitation, clock);
  const listed = roots && { roots: roots.map((root) => ({ ...root })) };
  if (elicit !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => elicit(params, mcpReq.signal));
  if (listed !== undefined) client.setRequestHandler('roots/list', () => listed);
  if (sampling !== undefined)
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) =>
      sampling(params, mcpReq.signal, clock),
    );
  return async (request: unknown, signal: AbortSignal): Promise<unknown> => {
    if (isSpecType.ElicitRequest(request))
      return elicit && withDefaults(request.params, await elicit(request.params, signal));
    if (isSpecType.CreateMessageRequest(request)) return sampling?.(request.params, signal, clock);
    return isSpecType.ListRootsRequest(request) ? listed : undefined;
  };
}

/** Creates what asks the user for one server. */
export function createElicitation(server: string, { elicit, elicitUrl }: Elicitation, clock: AskClock) {
  let askedMs: readonly number[] = [];
  const mayAsk = (): boolean => {
    const now = performance.now();
    askedMs = askedMs.filter((each) => now - each < MINUTE_MS);
    if (askedMs.length === MAX_QUESTIONS) return false;
    askedMs = [...askedMs, now];
    return true;
  };
  return async (params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> => {
    const { message } = params;
    if (params.mode === 'url') {
      const { url } = params;
      if (elicitUrl === undefined || !isPage(url)) return { action: 'decline' };
      return { action: mayAsk() ? await clock.ask(() => elicitUrl({ server, message, url, signal })) : 'cancel' };
    }
    if (elicit === undefined) return { action: 'decline' };
    if (!mayAsk()) return { action: 'cancel' };
    const schema = { ...params.requestedSchema };
    const answer = await clock.ask(() => elicit({ server, message, schema, signal }));
    if (answer.action !== 'accept') return { action: answer.action };
    const fields = Object.entries(answer.content).map(
      ([name, value]) => [name, typeof value === 'object' ? [...value] : value] as const,
    );
    return { action: 'accept', content: Object.fromEntries(fields) };
  };
}

function isPage(text: string): boolean {
  const url = attempt(() => new URL(text));
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** Fills in the defaults of a form, as the SDK does for a question that comes as a request. */
function withDefaults(params: ElicitRequest['params'], answer: ElicitResult): ElicitResult {
  if (answer.action !== 'accept' || params.mode === 'url') return answer;
  const defaults = Object.entries(params.requestedSchema.properties).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  return { ...answer, content: { ...Object.fromEntries(defaults), ...answer.content } };
}

import { attempt, isLoopback } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import type { ElicitResult } from '@modelcontextprotocol/client';
import type { AskClock } from './ask-clock.ts';
import type { QuestionHandlers } from '../tasks/question-handlers.ts';

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

/** The most questions in a minute; further ones get `cancel`. */
const MAX_QUESTIONS = 20;
const MINUTE_MS = 60_000;

/** Lets a server ask the user. */
export function handleElicitation(
  client: QuestionHandlers,
  server: string,
  { elicit, elicitUrl }: Elicitation,
  clock: AskClock,
): void {
  let askedMs: readonly number[] = [];
  const mayAsk = (): boolean => {
    const now = performance.now();
    askedMs = askedMs.filter((each) => now - each < MINUTE_MS);
    if (askedMs.length === MAX_QUESTIONS) return false;
    askedMs = [...askedMs, now];
    return true;
  };
  client.setRequestHandler('elicitation/create', async ({ params }, context): Promise<ElicitResult> => {
    const { message } = params;
    const { signal } = context.mcpReq;
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
  });
}

function isPage(text: string): boolean {
  const url = attempt(() => new URL(text));
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

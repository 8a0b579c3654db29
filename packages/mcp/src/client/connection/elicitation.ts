import type { JsonSchema } from '@kernel/protocol';
import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';

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

export interface AskedUser {
  /** When the user was last asked, in ms of `performance.now()`: the present while a question is open, `-Infinity` if there was none. */
  lastAskedMs(): number;
  /** Answers a question that came in another way than as a request. */
  answer(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
}

export type Elicit = (question: McpQuestion) => Promise<McpAnswer>;

/** More questions than a person answers in a minute, who is not asked any further ones. */
const MAX_QUESTIONS = 20;
const MINUTE_MS = 60_000;

/**
 * Lets a server ask the user through `elicit`, so often a minute; beyond that it gets `cancel`.
 */
export function handleElicitation(client: Client, server: string, elicit: Elicit): AskedUser {
  let open = 0;
  let lastAskedMs = -Infinity;
  let askedMs: readonly number[] = [];
  const mayAsk = (): boolean => {
    const now = performance.now();
    askedMs = askedMs.filter((each) => now - each < MINUTE_MS);
    if (askedMs.length === MAX_QUESTIONS) return false;
    askedMs = [...askedMs, now];
    return true;
  };
  const ask = async (question: McpQuestion): Promise<McpAnswer> => {
    open += 1;
    try {
      return await elicit(question);
    } finally {
      open -= 1;
      lastAskedMs = performance.now();
    }
  };
  const answer = async (params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> => {
    if (params.mode === 'url') return { action: 'decline' };
    if (!mayAsk()) return { action: 'cancel' };
    const given = await ask({ server, message: params.message, schema: { ...params.requestedSchema }, signal });
    if (given.action !== 'accept') return { action: given.action };
    const fields = Object.entries(given.content).map(
      ([name, value]) => [name, typeof value === 'object' ? [...value] : value] as const,
    );
    return { action: 'accept', content: Object.fromEntries(fields) };
  };
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => answer(params, mcpReq.signal));
  return { lastAskedMs: () => (open > 0 ? performance.now() : lastAskedMs), answer };
}

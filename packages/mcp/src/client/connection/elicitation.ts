import type { JsonSchema } from '@kernel/protocol';
import type { Client, ElicitResult } from '@modelcontextprotocol/client';

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

/** More questions than a person answers in a minute, who is not asked any further ones. */
const MAX_QUESTIONS = 20;
const MINUTE_MS = 60_000;

/**
 * Lets a server ask the user through `elicit`, so often a minute; beyond that it gets `cancel`. Returns a function that says when the user was last asked, in ms of `performance.now()`: the
 * present while a question is open, `-Infinity` if there was none.
 */
export function handleElicitation(client: Client, server: string, elicit: Elicit): () => number {
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
  client.setRequestHandler('elicitation/create', async ({ params }, context): Promise<ElicitResult> => {
    if (params.mode === 'url') return { action: 'decline' };
    if (!mayAsk()) return { action: 'cancel' };
    const answer = await ask({
      server,
      message: params.message,
      schema: { ...params.requestedSchema },
      signal: context.mcpReq.signal,
    });
    if (answer.action !== 'accept') return { action: answer.action };
    const fields = Object.entries(answer.content).map(
      ([name, value]) => [name, typeof value === 'object' ? [...value] : value] as const,
    );
    return { action: 'accept', content: Object.fromEntries(fields) };
  });
  return () => (open > 0 ? performance.now() : lastAskedMs);
}

import type { JsonSchema } from '@kernel/protocol';
import type { Client, ElicitResult } from '@modelcontextprotocol/client';

/** A server's question to the user, asked in the middle of a call. */
export interface McpQuestion {
  readonly server: string;
  readonly message: string;
  /** JSON Schema of the answer: a flat object. */
  readonly schema: JsonSchema;
  readonly signal: AbortSignal;
}

/** The user's answer. Fields that `content` leaves out get the schema's defaults. */
export type McpAnswer =
  | { readonly action: 'accept'; readonly content: McpAnswerContent }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** What the user filled in, by field. */
interface McpAnswerContent {
  readonly [field: string]: string | number | boolean | readonly string[];
}

/** Asks the user. */
export type Elicit = (question: McpQuestion) => Promise<McpAnswer>;

/** Lets a server ask the user through `elicit`. */
export function answerElicitation(client: Client, server: string, elicit: Elicit): void {
  client.setRequestHandler('elicitation/create', async ({ params }, context): Promise<ElicitResult> => {
    if (params.mode === 'url') return { action: 'decline' };
    const answer = await elicit({
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
}

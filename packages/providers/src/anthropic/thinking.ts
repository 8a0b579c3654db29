import type { JsonObject, JsonValue } from '@kernel/protocol';
import { effortFor, type Notes } from '../wire/model-rules.ts';
import type { ClaudeRules } from './models.ts';

export const ONE_OF_TWO = 'the model takes temperature or topP, not both';

/** The API counts them within the reply's limit, so they are added to that. */
const THINKING_TOKENS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 32_768],
  ['max', 32_768],
]);

const NOT_WITH_CHOICE = 'this API refuses thinking together with a forced tool choice';

export function limitWith(tokens: number, asked: JsonValue | undefined, defaultLimit: number, notes: Notes): number {
  const limit = (typeof asked === 'number' ? asked : defaultLimit) + tokens;
  if (tokens > 0 && typeof asked === 'number')
    notes.sentAs(`maxTokens ${asked}`, `${limit}`, `${tokens} of them are for thinking, which counts within the limit`);
  return limit;
}

export interface Thinking {
  readonly mode?: JsonObject | undefined;
  readonly effort?: string | undefined;
  /** The tokens that the reply's limit needs in addition. */
  readonly tokens: number;
  readonly thinks: boolean;
  readonly refusesForcedChoice: boolean;
}

/** What a caller forces is a need, how much a model thinks a wish. `own`: the field `thinking` that the caller sets. */
export function thinkingOf(
  asked: JsonValue | undefined,
  isForced: boolean,
  rules: ClaudeRules,
  notes: Notes,
  own?: JsonValue,
): Thinking {
  if (own !== undefined) {
    const thinks = !(typeof own === 'object' && own !== null && 'type' in own && own['type'] === 'disabled');
    return { tokens: 0, thinks, refusesForcedChoice: thinks };
  }
  const effort = effortFor(asked, rules.efforts, notes);
  const always = rules.thinksUnasked === 'always';
  const asks = effort !== undefined && effort !== 'none';
  if (isForced && asks && !always) {
    notes.leftOut('reasoningEffort', NOT_WITH_CHOICE);
  }
  if (asks && (always || !isForced)) {
    const tokens = THINKING_TOKENS.get(effort) ?? 0;
    const isBudget = rules.thinking === 'budget';
    const mode: JsonObject = isBudget ? { type: 'enabled', budget_tokens: tokens } : { type: 'adaptive' };
    return { mode, tokens, thinks: true, refusesForcedChoice: true, ...(isBudget ? {} : { effort }) };
  }
  const turnsOff = rules.thinksUnasked === 'unless-disabled' && (isForced || effort === 'none');
  if (turnsOff && !asks && effort !== 'none') notes.leftOut('thinking', NOT_WITH_CHOICE);
  const thinks = rules.thinksUnasked !== 'never' && !turnsOff;
  return { tokens: 0, thinks, refusesForcedChoice: thinks, ...(turnsOff ? { mode: { type: 'disabled' } } : {}) };
}

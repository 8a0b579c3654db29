import { dropsCalls, type FinishReason } from '@kernel/protocol';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'filter'],
  ['safety', 'filter'],
  ['recitation', 'filter'],
  ['refusal', 'refusal'],
]);

/** Calls win over every reason except a cut: servers say `stop` or values of their own although there are calls. A refusal counts only without a cut. */
export function finishReasonOf(reason: string | undefined, hasCalls: boolean, refused: boolean): FinishReason {
  const known = reason === undefined ? undefined : REASONS.get(reason.toLowerCase());
  if (known !== undefined && dropsCalls(known)) return known;
  if (refused) return 'refusal';
  if (hasCalls) return 'tool-calls';
  return known ?? 'other';
}

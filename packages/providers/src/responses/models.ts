import { gptRules, type GptRules, gptRulesAtOpenAI } from '../openai/models.ts';
import { type ModelRules, TAKES_ALL } from '../wire/model-rules.ts';

export interface ResponsesRules extends ModelRules {
  /** So that a request may ask for its encrypted reasoning. */
  readonly hasReasoning: boolean;
  readonly takesSchema: boolean;
}

/** As of November 2026. OpenAI's families are the same in both APIs, but here every model takes tools beside an effort, and efforts go up to `max`. */
export function responsesRules(model: string, isOpenAI: boolean): ResponsesRules {
  const rules = isOpenAI ? gptRulesAtOpenAI(model) : gptRules(model);
  return rules === undefined ? { ...TAKES_ALL, hasReasoning: false, takesSchema: true } : fromGpt(rules);
}

function fromGpt({ efforts, reasons, refused, replyFormat, sampling, samplingFields }: GptRules): ResponsesRules {
  return {
    efforts,
    reasons,
    sampling,
    samplingFields,
    // No model has it in this API.
    refused: refused.filter((name) => name !== 'stop'),
    hasReasoning: efforts.length > 0,
    takesSchema: replyFormat === 'schema',
  };
}

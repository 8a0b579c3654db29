import type { CallParser, TextFormat } from '../format.ts';
import { deepseekCall, deepseekCalls } from './deepseek.ts';
import { toolCode } from './gemma.ts';
import { gemma4Call } from './gemma4.ts';
import { glmCall } from './glm.ts';
import { harmonyCalls } from './gpt-oss.ts';
import { graniteCalls } from './granite.ts';
import { taggedJson } from './hermes.ts';
import { plainJson } from './json.ts';
import { kimiCalls } from './kimi-k2.ts';
import { pythonList, taggedObject } from './llama.ts';
import { minimaxM1Calls } from './minimax-m1.ts';
import { minimaxM2Calls } from './minimax-m2.ts';
import { mistralCalls } from './mistral.ts';
import { qwenCoder } from './qwen-coder.ts';

export const ANY_FORMAT: Pick<TextFormat, 'parsers' | 'layout'> = {
  parsers: [
    ...qwenCoder.parsers.map((parser) =>
      parser.open === taggedJson.open ? either(either(parser, taggedJson), glmCall) : parser,
    ),
    taggedObject,
    pythonList,
    mistralCalls,
    deepseekCalls,
    deepseekCall,
    toolCode,
    graniteCalls,
    gemma4Call,
    ...kimiCalls,
    minimaxM1Calls,
    minimaxM2Calls,
    ...harmonyCalls,
    ...plainJson.map((parser) => (parser.open === pythonList.open ? either(parser, pythonList) : parser)),
  ].filter((parser) => parser !== pythonList),
  layout: [
    ';',
    '</tool_call>',
    '<|eom_id|>',
    '<|eot_id|>',
    '</s>',
    '<|tool_response>',
    '<|observation|>',
    '<|im_end|>',
  ],
};

/** Both have the same opening mark: the first that ends and can be read wins. */
function either(a: CallParser, b: CallParser): CallParser {
  return {
    ...a,
    createFinder() {
      const [first, second] = [a.createFinder(), b.createFinder()];
      let left: number | undefined;
      let right: number | undefined;
      return (text, atEnd) => {
        left ??= first(text, atEnd);
        right ??= second(text, atEnd);
        if (left !== undefined && left < 0) return right !== undefined && right < 0 ? Math.min(left, right) : right;
        if (right !== undefined && right < 0) return left;
        return left !== undefined && right !== undefined ? Math.min(left, right) : undefined;
      };
    },
    parse: (text, tools) => a.parse(text, tools) ?? b.parse(text, tools),
  };
}

import { KernelError } from '@kernel/protocol';
import type { TextFormat } from './format.ts';
import { deepseek } from './formats/deepseek.ts';
import { gemma } from './formats/gemma.ts';
import { gemma4 } from './formats/gemma4.ts';
import { glm } from './formats/glm.ts';
import { gptOss } from './formats/gpt-oss.ts';
import { granite } from './formats/granite.ts';
import { hermes } from './formats/hermes.ts';
import { json } from './formats/json.ts';
import { kimiK2 } from './formats/kimi-k2.ts';
import { llama3Json, llama3Pythonic } from './formats/llama.ts';
import { minimaxM1 } from './formats/minimax-m1.ts';
import { minimaxM2 } from './formats/minimax-m2.ts';
import { mistral } from './formats/mistral.ts';
import { qwenCoder } from './formats/qwen-coder.ts';

/** The formats in the order of the guide. `qwen` is another name of `hermes`. */
const FORMATS = {
  hermes,
  qwen: hermes,
  'qwen-coder': qwenCoder,
  'llama3-json': llama3Json,
  'llama3-pythonic': llama3Pythonic,
  mistral,
  deepseek,
  gemma,
  gemma4,
  glm,
  'kimi-k2': kimiK2,
  'minimax-m1': minimaxM1,
  'minimax-m2': minimaxM2,
  'gpt-oss': gptOss,
  granite,
  json,
} as const;

/** The name of a built-in format. */
export type TextFormatName = keyof typeof FORMATS;

/** The names of all built-in formats. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the literal above
export const TEXT_FORMATS: readonly TextFormatName[] = Object.freeze(Object.keys(FORMATS) as TextFormatName[]);

export function textFormat(format: TextFormatName | TextFormat): TextFormat {
  if (typeof format !== 'string') return format;
  if (Object.hasOwn(FORMATS, format)) return FORMATS[format];
  throw new KernelError('CONFIG_INVALID', `Unknown text format "${format}".`, {
    hint: `Formats are ${TEXT_FORMATS.join(', ')}; or pass a TextFormat of your own.`,
  });
}

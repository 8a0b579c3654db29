import { KernelError } from '@kernel/protocol';
import type { CallReader, TextFormat } from './format.ts';
import { deepseek, deepseekCall, deepseekCalls } from './formats/deepseek.ts';
import { gemma, toolCode } from './formats/gemma.ts';
import { granite, graniteCalls } from './formats/granite.ts';
import { hermes, taggedJson } from './formats/hermes.ts';
import { json, plainJson } from './formats/json.ts';
import { llama3Json, llama3Pythonic, pythonList, taggedObject } from './formats/llama.ts';
import { mistral, mistralCalls } from './formats/mistral.ts';
import { qwenCoder } from './formats/qwen-coder.ts';

/** Every format by name, in the order of the guide. `qwen` is another name of `hermes`. */
const FORMATS = {
  hermes,
  qwen: hermes,
  'qwen-coder': qwenCoder,
  'llama3-json': llama3Json,
  'llama3-pythonic': llama3Pythonic,
  mistral,
  deepseek,
  gemma,
  granite,
  json,
} as const;

/** The name of a built-in format. */
export type TextFormatName = keyof typeof FORMATS;

/** The names of all built-in formats. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the literal above
export const TEXT_FORMATS: readonly TextFormatName[] = Object.freeze(Object.keys(FORMATS) as TextFormatName[]);

/** The readers of all formats together, for a model whose format is not known. */
export const ANY_FORMAT: Pick<TextFormat, 'readers' | 'layout'> = {
  readers: [
    ...qwenCoder.readers.map((reader) => (reader.open === taggedJson.open ? either(reader, taggedJson) : reader)),
    taggedObject,
    pythonList,
    mistralCalls,
    deepseekCalls,
    deepseekCall,
    toolCode,
    graniteCalls,
    ...plainJson.map((reader) => (reader.open === pythonList.open ? either(reader, pythonList) : reader)),
  ].filter((reader) => reader !== pythonList),
  layout: [';', '</tool_call>', '<|eom_id|>', '<|eot_id|>', '</s>'],
};

/** Returns a format by its name, or the format object itself. Throws `CONFIG_INVALID` for an unknown name. */
export function textFormat(format: TextFormatName | TextFormat): TextFormat {
  if (typeof format !== 'string') return format;
  if (Object.hasOwn(FORMATS, format)) return FORMATS[format];
  throw new KernelError('CONFIG_INVALID', `Unknown text format "${format}".`, {
    hint: `Formats are ${TEXT_FORMATS.join(', ')}; or pass a TextFormat of your own.`,
  });
}

/** Joins the readers of two kinds of markup with the same opening mark: the first that ends and can be read wins. */
function either(a: CallReader, b: CallReader): CallReader {
  return {
    ...a,
    createFinder() {
      const [first, second] = [a.createFinder(), b.createFinder()];
      let left: number | undefined;
      let right: number | undefined;
      return (text, atEnd) => {
        left ??= first(text, atEnd);
        right ??= second(text, atEnd);
        if (left === -1) return right;
        if (right === -1) return left;
        return left !== undefined && right !== undefined ? Math.min(left, right) : undefined;
      };
    },
    parse: (text, tools) => a.parse(text, tools) ?? b.parse(text, tools),
  };
}

import { type ToolCall, unwrapArguments, createJsonSource, type JsonSource } from '@kernel/protocol';
import { asFields, type Fields, parseJson } from '../json-fields.ts';

/** An object encoded twice is decoded twice; any other text becomes one field, so that nothing is hidden from the model. */
export function argumentsObject({ arguments: text }: ToolCall): Fields {
  const json = unwrapArguments(text);
  if (json.trim() === '') return {};
  return asFields(parseJson(json)) ?? { unreadable_arguments: text };
}

/** Returns the model's own text if it is an object. Servers that parse it refuse anything else, and with it each later request. */
export function argumentsText(call: ToolCall): string {
  return asFields(parseJson(call.arguments)) === undefined ? JSON.stringify(argumentsObject(call)) : call.arguments;
}

/** `key` is what the vendor calls arguments, where it has no other name for them. Costs nothing before there is an object. */
export function createExactArguments(key: string) {
  let json: string | undefined;
  let value: unknown;
  let sources: Map<string, JsonSource> | undefined;
  return {
    /** The JSON that is read from now on. */
    read(this: void, text: string, parsed: unknown) {
      json = text;
      value = parsed;
      sources = undefined;
    },
    /** The text may be a slice of a whole chunk of the body, which it would keep alive while the next one is waited for. */
    forget(this: void) {
      json = undefined;
      value = undefined;
      sources = undefined;
    },
    /** Returns the text instead of the value of a key if `JSON.parse` lost something in it, so that the registry sees what the model sent. */
    of(given: unknown, givenKey = key) {
      if (typeof given !== 'object' || given === null || json === undefined) return given;
      sources ??= new Map();
      const source = sources.get(givenKey) ?? createJsonSource(json, value, givenKey);
      sources.set(givenKey, source);
      return source.textOf(given) ?? given;
    },
  };
}

export type ExactArguments = ReturnType<typeof createExactArguments>;

import { KernelError, type JsonObject } from '@kernel/protocol';
import { VALUE_KINDS, type ValueKind } from './read-value.ts';
import { splitWords } from './split-words.ts';
import type { ToolPhrase } from './tool-phrase.ts';

/** One word of a phrase, or a place for a value. */
export type PhrasePart =
  | { readonly words: ReadonlySet<string>; readonly isOptional: boolean }
  | { readonly name: string; readonly kind: ValueKind };

/** A phrase in a form that a request can be compared with. */
export interface CompiledPhrase {
  /** Its words and values, in order. */
  readonly parts: readonly PhrasePart[];
  /** The arguments, with `{name}` for values. */
  readonly input: JsonObject;
  /** Whether an argument takes the text that came with the request. */
  readonly takesMaterial: boolean;
}

/** Compiles a phrase. Throws `CONFIG_INVALID` for a kind of value that does not exist. */
export function compilePhrase({ input, text }: ToolPhrase): CompiledPhrase {
  const parts = (splitWords(text) ?? []).map((word): PhrasePart => {
    const [, name, kind = 'words'] = /^\{([a-z]+)(?::([a-z]+))?\}$/i.exec(word) ?? [];
    if (name !== undefined) return { name, kind: kindOf(kind, text) };
    const choices = /^\((.*)\)$/.exec(word)?.[1]?.split('|') ?? [word];
    return { words: new Set(choices.map((choice) => choice.toLowerCase())), isOptional: choices.includes('') };
  });
  return { parts, input, takesMaterial: JSON.stringify(input).includes('"{material}"') };
}

function kindOf(kind: string, phrase: string): ValueKind {
  const known = VALUE_KINDS.find((one) => one === kind);
  if (known !== undefined) return known;
  throw new KernelError('CONFIG_INVALID', `The phrase "${phrase}" has a value of the kind "${kind}".`, {
    hint: `Kinds are ${VALUE_KINDS.join(', ')}.`,
  });
}

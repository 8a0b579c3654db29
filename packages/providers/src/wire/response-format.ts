import type { ProviderWarning, ResponseFormat } from '@kernel/protocol';

/** How a wire that takes no schema is asked for JSON: an instruction, and the warning that nothing holds the model to it. @internal */
export function schemaInstruction({ name, schema }: ResponseFormat): { text: string; warning: ProviderWarning } {
  return {
    text: `Answer with one JSON value and nothing else, without a code fence. It follows this JSON Schema ("${name}"): ${JSON.stringify(schema)}`,
    warning: { message: `response format "${name}" is asked for in the instructions: this wire takes no schema` },
  };
}

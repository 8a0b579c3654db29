import type { ProviderWarning, ResponseFormat } from '@kernel/protocol';

export function schemaInstruction({ name, schema }: ResponseFormat): { text: string; warning: ProviderWarning } {
  return {
    text: `Answer with one JSON value and nothing else, without a code fence. It must follow this JSON Schema ("${name}"): ${JSON.stringify(schema)}`,
    warning: {
      message: `response format "${name}" is only requested in the instructions: this API does not accept a schema`,
    },
  };
}

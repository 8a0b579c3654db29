import type { JsonObject, Tool } from '@kernel/protocol';
import { configError } from '../../config/config-error.ts';
import type { ServerTools } from '../../config/server-tools.ts';
import { asText } from '../../json-fields.ts';

export type NameCheck = (tool: Tool, wireName: string) => void;

/** `namesOf` returns the names by which the model calls the tools of a definition. */
export function createNameCheck(
  provider: string,
  { definitions }: ServerTools,
  namesOf: (definition: JsonObject) => readonly (string | undefined)[],
): NameCheck {
  const taken = new Map<string | undefined, number>();
  for (const [at, definition] of definitions.entries())
    for (const name of namesOf(definition)) if (!taken.has(name)) taken.set(name, at);
  return ({ name }, wireName) => {
    const at = taken.get(wireName);
    if (at === undefined) return;
    throw configError(
      provider,
      `your tool "${name}" has the name of the vendor's ${kindOf(definitions[at])} (serverTools[${at}]).`,
      'The model could not tell them apart: rename your tool, or remove one of them.',
    );
  };
}

function kindOf(definition: JsonObject = {}): string {
  return `"${asText(definition['type']) ?? Object.keys(definition)[0] ?? ''}"`;
}

import { isObject } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import type { ToolPhrase } from './tool-phrase.ts';

/** The phrases under a tool's name that give every argument that it requires and none that it does not know: another tool may have the same name. */
export function phrasesFor(
  { name, parameters }: Tool,
  byName: Readonly<Record<string, readonly ToolPhrase[]>>,
): readonly ToolPhrase[] {
  const properties = isObject(parameters['properties']) ? parameters['properties'] : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  return (Object.hasOwn(byName, name) ? (byName[name] ?? []) : []).filter(
    ({ input }) =>
      Object.keys(input).every((key) => Object.hasOwn(properties, key)) &&
      required.every((key) => typeof key === 'string' && Object.hasOwn(input, key)),
  );
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A schema of the protocol's document. */
export type Definition = Readonly<Record<string, unknown>>;

/** Who handles a method; those of the protocol itself go both ways, those of a proxy to a program between the two. */
export type MethodSide = 'agent' | 'client' | 'protocol' | 'proxy';

/** A request or a notification that one side sends to another. */
export interface ProtocolMethod {
  readonly method: string;
  /** Who handles it. */
  readonly side: MethodSide;
  readonly isNotification: boolean;
  /** Whether it may still change. */
  readonly isUnstable: boolean;
  /** The names of the definitions of its parameters and its result. */
  readonly params: string;
  readonly result: string | undefined;
}

/** The current schema of the protocol. */
export interface ProtocolSchema {
  readonly definitions: Readonly<Record<string, Definition>>;
  /** Those that will not change. */
  readonly stable: Readonly<Record<string, Definition>>;
  readonly methods: readonly ProtocolMethod[];
}

/** Something that an agent and a client may both have or lack. */
export interface ProtocolPart {
  readonly name: string;
  /** Whether it may still change. */
  readonly isUnstable: boolean;
}

/** Reads the schema that the installed SDK has. */
export function readProtocolSchema(): ProtocolSchema {
  const definitions = read('schema.unstable.json');
  const stable = read('schema.json');
  const methods = Object.entries(definitions).flatMap(([name, definition]): readonly ProtocolMethod[] => {
    const method = definition['x-method'];
    if (typeof method !== 'string' || name.endsWith('Response')) return [];
    const isNotification = name.endsWith('Notification');
    const result = name.replace(/Request$/, 'Response');
    return [
      {
        method,
        side: definition['x-side'] as MethodSide,
        isNotification,
        isUnstable: stable[name] === undefined,
        params: name,
        result: isNotification || definitions[result] === undefined ? undefined : result,
      },
    ];
  });
  return { definitions, stable, methods };
}

/** The variants of a union, such as the kinds of `SessionUpdate`, by the value that tells them apart. */
export function variantsOf({ definitions, stable }: ProtocolSchema, union: string): readonly ProtocolPart[] {
  const known = new Set(tagsOf(stable[union]));
  return tagsOf(definitions[union]).map((name) => ({ name, isUnstable: !known.has(name) }));
}

/** The capabilities of a side, as paths: `promptCapabilities.image`. */
export function capabilitiesOf(
  { definitions, stable }: ProtocolSchema,
  name: 'AgentCapabilities' | 'ClientCapabilities',
): readonly ProtocolPart[] {
  const known = new Set(pathsOf(stable, name, ''));
  return pathsOf(definitions, name, '').map((path) => ({ name: path, isUnstable: !known.has(path) }));
}

interface SchemaNode {
  readonly const?: unknown;
  readonly title?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
}

function tagsOf(union: SchemaNode | undefined): readonly string[] {
  return (union?.oneOf ?? union?.anyOf ?? []).flatMap(({ const: value, properties = {}, title }) => {
    const tags = [value, ...Object.values(properties).map((property) => property.const)];
    const tag = tags.find((each) => typeof each === 'string') ?? title;
    return typeof tag === 'string' ? [tag] : [];
  });
}

/** The paths of a definition's properties. One whose definition has properties of its own stands for them all. */
function pathsOf(definitions: Readonly<Record<string, Definition>>, name: string, prefix: string): readonly string[] {
  const { properties = {} } = (definitions[name] ?? {}) as SchemaNode;
  return Object.entries(properties).flatMap(([key, node]) => {
    if (key === '_meta') return [];
    const reference = [node, ...(node.allOf ?? []), ...(node.anyOf ?? [])].find((each) => each.$ref !== undefined);
    const inner = pathsOf(definitions, reference?.$ref?.split('/').at(-1) ?? '', `${prefix}${key}.`);
    return inner.length > 0 ? inner : [`${prefix}${key}`];
  });
}

function read(file: string): Readonly<Record<string, Definition>> {
  const path = fileURLToPath(import.meta.resolve(`@agentclientprotocol/sdk/schema/v1/${file}`));
  return (JSON.parse(readFileSync(path, 'utf8')) as { $defs: Record<string, Definition> }).$defs;
}

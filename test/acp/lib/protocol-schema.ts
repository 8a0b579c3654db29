import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A schema of the protocol's document. */
export type Definition = Readonly<Record<string, unknown>>;

/** Who answers a method; `protocol` methods go both ways, those of a proxy to neither. */
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

/** The current schema of the protocol, and what of it is stable. */
export interface ProtocolSchema {
  readonly definitions: Readonly<Record<string, Definition>>;
  readonly methods: readonly ProtocolMethod[];
  /** The names of the stable definitions. */
  readonly stable: ReadonlySet<string>;
}

/** Reads the schema that the installed SDK has. */
export function readProtocolSchema(): ProtocolSchema {
  const definitions = read('schema.unstable.json');
  const stableDefinitions = read('schema.json');
  const stable = new Set(Object.keys(stableDefinitions));
  const requests = new Map<string, ProtocolMethod>();
  for (const [name, definition] of Object.entries(definitions)) {
    const method = definition['x-method'];
    if (typeof method !== 'string' || name.endsWith('Response')) continue;
    const side = definition['x-side'] as MethodSide;
    const isNotification = name.endsWith('Notification');
    const result = name.replace(/Request$/, 'Response');
    requests.set(`${side} ${method} ${isNotification}`, {
      method,
      side,
      isNotification,
      isUnstable: !stable.has(name),
      params: name,
      result: isNotification || definitions[result] === undefined ? undefined : result,
    });
  }
  return { definitions, methods: [...requests.values()], stable };
}

/** The discriminating values of a union, such as the kinds of `SessionUpdate`. */
export function variantsOf({ definitions }: ProtocolSchema, name: string): readonly string[] {
  const { oneOf, anyOf } = (definitions[name] ?? {}) as { oneOf?: unknown[]; anyOf?: unknown[] };
  return (oneOf ?? anyOf ?? []).flatMap((variant) => {
    const { properties = {} } = variant as { properties?: Record<string, { const?: unknown }> };
    return Object.values(properties).flatMap((property) =>
      typeof property.const === 'string' ? [property.const] : [],
    );
  });
}

function read(file: string): Readonly<Record<string, Definition>> {
  const path = fileURLToPath(import.meta.resolve(`@agentclientprotocol/sdk/schema/v1/${file}`));
  return (JSON.parse(readFileSync(path, 'utf8')) as { $defs: Record<string, Definition> }).$defs;
}

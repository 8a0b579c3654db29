import { isObject } from '@kernel/internal';
import { describeType, type JsonObject, type JsonValue } from '@kernel/protocol';
import { configError } from './config-error.ts';

/** A tool that the vendor knows by itself: most run at the vendor, some here. Made by the functions of each vendor, such as `webSearch`. */
export interface ServerTool {
  /** What the request says of the tool, in the vendor's own terms. */
  readonly definition: JsonObject;
  /** Further fields of the request that it needs. Lists of several tools are joined. */
  readonly fields?: JsonObject | undefined;
  /** The names of the vendor's beta features that it needs. */
  readonly betas?: readonly string[] | undefined;
  /** The tools of yours that the model finds through this one, and does not see at first: their names, or what says so of a name. */
  readonly deferredTools?: DeferredTools | undefined;
}

/** Names of tools, or a function that says of a name whether its tool is deferred. */
export type DeferredTools = readonly string[] | ((name: string) => boolean);

/** A server tool, or the vendor's JSON for one that has no function here. */
export type ServerToolConfig = ServerTool | JsonObject;

/** The server tools of a provider. @internal */
export interface ServerTools {
  /** What every request says of each tool. */
  readonly definitions: readonly JsonObject[];
  /** Further fields of every request. */
  readonly fields: JsonObject;
  /** The names of beta features, each once. */
  readonly betas: readonly string[];
  /** Whether the model does not see a tool of this name at first. */
  isDeferred(this: void, name: string): boolean;
  /** Access tokens in definitions and fields. */
  readonly secrets: readonly string[];
}

/** No server tools. @internal */
export const NO_SERVER_TOOLS: ServerTools = {
  definitions: [],
  fields: {},
  betas: [],
  isDeferred: () => false,
  secrets: [],
};

/** Checks `serverTools` of a config. Throws `CONFIG_INVALID`. @internal */
export function resolveServerTools(owner: string, value: readonly ServerToolConfig[] | undefined): ServerTools {
  if (value === undefined) return NO_SERVER_TOOLS;
  const given: unknown = value;
  if (!Array.isArray(given))
    throw configError(
      owner,
      `serverTools is ${describeType(given)}, not an array.`,
      'Pass [webSearch()], for example.',
    );
  const tools = value.map((tool, at) => toServerTool(owner, tool, at));
  const betas = new Set(tools.flatMap((tool) => tool.betas ?? []));
  return {
    definitions: tools.map((tool) => tool.definition),
    fields: tools.reduce<JsonObject>((all, { fields = {} }) => joinFields(all, fields), {}),
    betas: [...betas],
    isDeferred: deferredBy(tools.flatMap((tool) => [tool.deferredTools ?? []].flat())),
    secrets: tools.flatMap(({ definition, fields }) => [...secretsIn(definition, false), ...secretsIn(fields, false)]),
  };
}

function deferredBy(given: readonly (string | ((name: string) => boolean))[]): (name: string) => boolean {
  const names = new Set(given.filter((each) => typeof each === 'string'));
  const tests = given.filter((each) => typeof each === 'function');
  return (name) => names.has(name) || tests.some((test) => test(name));
}

/** The name under which a tool of yours stands for a definition: then the definition is sent in its place, and the tool runs here. @internal */
export function nativeName({ name, type }: JsonObject): string | undefined {
  if (typeof name === 'string') return name;
  return typeof type === 'string' ? type : undefined;
}

function toServerTool(owner: string, tool: unknown, at: number): ServerTool {
  if (isServerTool(tool)) return tool;
  if (isJsonObject(tool)) return { definition: tool };
  throw configError(
    owner,
    `serverTools[${at}] is ${describeType(tool)}, not a server tool.`,
    "Pass what a function such as webSearch() returns, or the vendor's own JSON.",
  );
}

function isServerTool(value: unknown): value is ServerTool {
  return isObject(value) && isJsonObject(value['definition']) && value['type'] === undefined;
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && Object.keys(value).length > 0;
}

/** The values of headers, and of fields that are called after an authorization. */
function secretsIn(value: unknown, isSecret: boolean): readonly string[] {
  if (typeof value === 'string') return isSecret ? [value.replace(/^(Bearer|Basic) /i, '')] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    secretsIn(inner, isSecret || key === 'headers' || key.startsWith('authorization')),
  );
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function joinFields(all: JsonObject, fields: JsonObject): JsonObject {
  const joined = new Map(Object.entries(all));
  for (const [key, value] of Object.entries(fields)) {
    const known = joined.get(key);
    joined.set(key, isList(known) && isList(value) ? [...known, ...value] : value);
  }
  return Object.fromEntries(joined);
}

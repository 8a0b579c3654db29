import { isObject, errorMessage, MIN_GUESSED_SECRET_LENGTH, MIN_SECRET_SEGMENT_LENGTH } from '@kernel/internal';
import { describeType, type JsonObject, type JsonValue } from '@kernel/protocol';
import { configError } from './config-error.ts';

/** One of the vendor's own tools: most run at the vendor, some here. Created by the functions of each vendor, such as `webSearch`. */
export interface ServerTool {
  /** The tool's entry in `tools` of a request, in the vendor's own terms. */
  readonly definition: JsonObject;
  /** Further fields of the request that the tool needs. Arrays of several tools are concatenated. */
  readonly fields?: JsonObject | undefined;
  /** The names of the vendor's beta features that the tool needs. */
  readonly betas?: readonly string[] | undefined;
  /** Which of your tools the model does not see at first and finds through this one. */
  readonly deferredTools?: DeferredTools | undefined;
}

/** The names of deferred tools, or a function that returns whether the tool of a name is deferred. */
export type DeferredTools = readonly string[] | ((name: string) => boolean);

/** A server tool, or the vendor's JSON for a tool that has no function here. */
export type ServerToolConfig = ServerTool | JsonObject;

/** An MCP server that the vendor connects to. */
export interface HostedMcpServer {
  /** A name of your choice, unique in the request. */
  readonly name: string;
  /** The URL of the server, with `https`. */
  readonly url: string;
  /** The access token that the vendor sends to the server. */
  readonly token?: string | undefined;
  /** The names of the only tools to offer. Default: all tools of the server. */
  readonly allowedTools?: readonly string[] | undefined;
}

/** The user's approximate location, for local search results. */
export interface UserLocation {
  /** The city. */
  readonly city?: string | undefined;
  /** The region or state. */
  readonly region?: string | undefined;
  /** The country, as two letters of ISO 3166-1. */
  readonly country?: string | undefined;
  /** The time zone, as a name of the IANA database. */
  readonly timezone?: string | undefined;
}

export interface ServerTools {
  readonly definitions: readonly JsonObject[];
  readonly fields: JsonObject;
  readonly betas: readonly string[];
  /** Whether the model does not see the tool at first. */
  isDeferred(this: void, name: string): boolean;
  readonly secrets: readonly string[];
}

export const NO_SERVER_TOOLS: ServerTools = {
  definitions: [],
  fields: {},
  betas: [],
  isDeferred: () => false,
  secrets: [],
};

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
    isDeferred: deferredBy(owner, tools),
    secrets: tools.flatMap(({ definition, fields }) => [...secretsIn(definition), ...secretsIn(fields)]),
  };
}

function deferredBy(owner: string, tools: readonly ServerTool[]): ServerTools['isDeferred'] {
  const tests = tools.flatMap(({ deferredTools }, at): readonly ServerTools['isDeferred'][] => {
    if (deferredTools === undefined) return [];
    const names = new Set(typeof deferredTools === 'function' ? [] : deferredTools);
    if (typeof deferredTools !== 'function') return [(name) => names.has(name)];
    return [(name) => callIsDeferred(owner, at, deferredTools, name)];
  });
  return (name) => tests.some((test) => test(name));
}

function callIsDeferred(owner: string, at: number, isDeferred: (name: string) => boolean, name: string): boolean {
  try {
    return isDeferred(name);
  } catch (error) {
    throw configError(
      owner,
      `serverTools[${at}].deferredTools failed for the tool "${name}": ${errorMessage(error)}`,
      'It must return true or false for each tool name, and not throw.',
      error,
    );
  }
}

function toServerTool(owner: string, given: unknown, at: number): ServerTool {
  const tool = isServerTool(given) ? given : isDefinition(given) ? { definition: given } : undefined;
  if (tool !== undefined) return checkServerTool(owner, tool, at);
  throw configError(
    owner,
    `serverTools[${at}] is ${describeType(given)}, not a server tool.`,
    "Pass what a function such as webSearch() returns, or the vendor's own JSON.",
  );
}

function checkServerTool(owner: string, tool: ServerTool, at: number): ServerTool {
  const refuse = (problem: string, cause?: unknown): never => {
    throw configError(owner, `serverTools[${at}]${problem}`, 'Pass JSON, as the vendor documents it.', cause);
  };
  const { definition, fields, betas, deferredTools } = tool;
  try {
    JSON.stringify([definition, fields]);
  } catch (error) {
    refuse(' is not JSON.', error);
  }
  if (fields !== undefined && !isObject(fields)) refuse(`.fields is ${describeType(fields)}, not an object.`);
  if (betas !== undefined && !isStringArray(betas))
    refuse(`.betas is ${describeType(betas)}, not an array of strings.`);
  if (deferredTools !== undefined && typeof deferredTools !== 'function' && !isStringArray(deferredTools))
    refuse(`.deferredTools is ${describeType(deferredTools)}, not an array of names or a function.`);
  return tool;
}

function isStringArray(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isServerTool(value: unknown): value is ServerTool {
  return isObject(value) && isDefinition(value['definition']) && value['type'] === undefined;
}

function isDefinition(value: unknown): value is JsonObject {
  return isObject(value) && Object.keys(value).length > 0;
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

/** Values of headers and of `authorization…` fields; in URLs user names, passwords, query values and long path segments. */
export function secretsIn(value: unknown, isSecret = false): readonly string[] {
  if (typeof value === 'string') return isSecret ? [value.replace(/^(Bearer|Basic) /i, '')] : secretsOfUrl(value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    secretsIn(inner, isSecret || key === 'headers' || key.startsWith('authorization')),
  );
}

function secretsOfUrl(text: string): readonly string[] {
  const url = /^(?:https?|wss?):/i.test(text) ? URL.parse(text) : null;
  if (url === null) return [];
  const { password, pathname, searchParams, username } = url;
  const values = [...searchParams.values(), username, password].filter(
    (each) => each.length >= MIN_GUESSED_SECRET_LENGTH,
  );
  // Some URLs carry their key as a segment of the path.
  return [...values, ...pathname.split('/').filter((segment) => segment.length >= MIN_SECRET_SEGMENT_LENGTH)];
}

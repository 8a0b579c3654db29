import { definedFields, errorMessage, isObject, untilAborted, visibleText } from '@kernel/internal';
import { KernelError, type MediaPart, type Message, type TextPart } from '@kernel/protocol';
import type { Client } from '@modelcontextprotocol/client';
import { toPart } from './calls/tool-result.ts';
import { listEntries, type ListKind } from './connection/list-tools.ts';
import type { RemoteServer } from './connection/remote-server.ts';

/** Something that a server offers to read: a file, a page, a row. */
export interface McpResource {
  /** The name of the server in the config. */
  readonly server: string;
  /** Its address, which only the server understands. */
  readonly uri: string;
  /** Its name, for people. */
  readonly name: string;
  /** What is in it. */
  readonly description?: string;
  /** Its media type. */
  readonly mimeType?: string;
  /** Its size in bytes. */
  readonly size?: number;
}

/** A family of resources: `{name}` in its address stands for a value. */
export interface McpResourceTemplate extends Omit<McpResource, 'uri' | 'size'> {
  /** Its address with placeholders (RFC 6570). */
  readonly uriTemplate: string;
}

/** A text that a server has prepared, for the user to choose. */
export interface McpPrompt {
  /** The name of the server in the config. */
  readonly server: string;
  /** Its name on the server. */
  readonly name: string;
  /** What it is for. */
  readonly description?: string;
  /** What it asks for. */
  readonly arguments: readonly McpPromptArgument[];
}

/** What a prompt asks for. */
export interface McpPromptArgument {
  /** Its name. */
  readonly name: string;
  /** What it means. */
  readonly description?: string;
  /** Whether the prompt can't do without it. */
  readonly required: boolean;
}

/** What to complete: an argument of a prompt, or a placeholder of a template, as far as it was typed. */
export interface McpCompletion {
  /** The name of the server in the config. */
  readonly server: string;
  /** The prompt, by its name. */
  readonly prompt?: string | undefined;
  /** The template, by its `uriTemplate`. */
  readonly uriTemplate?: string | undefined;
  /** The name of the argument or placeholder. */
  readonly argument: string;
  /** What was typed of it. */
  readonly value: string;
  /** The arguments that have a value already. */
  readonly given?: Readonly<Record<string, string>> | undefined;
}

/** What servers have beside tools. Nothing of it reaches a model by itself. Each call rejects with `TOOL_UNAVAILABLE` or `TOOL_FAILED`, which name the server. */
export interface McpContents {
  /** Lists the resources of all servers, or of one: at most 10,000 of each, in the order of the config. A server that has none is left out. */
  listResources(options?: McpListOptions): Promise<readonly McpResource[]>;
  /** Lists the templates of all servers, or of one. */
  listResourceTemplates(options?: McpListOptions): Promise<readonly McpResourceTemplate[]>;
  /** Reads a resource: texts, and data as media in base64. At most 100 parts and 10 MiB. Links in it are not followed. */
  readResource(
    resource: Pick<McpResource, 'server' | 'uri'>,
    options?: McpContentOptions,
  ): Promise<readonly (TextPart | MediaPart)[]>;
  /** Lists the prompts of all servers, or of one. */
  listPrompts(options?: McpListOptions): Promise<readonly McpPrompt[]>;
  /** Returns the messages of a prompt with these arguments. At most 100, and 10 MiB. */
  getPrompt(
    prompt: Pick<McpPrompt, 'server' | 'name'>,
    input?: Readonly<Record<string, string>>,
    options?: McpContentOptions,
  ): Promise<readonly Message[]>;
  /** Returns how a value could go on, at most 100 texts; none where the server can't say. */
  complete(completion: McpCompletion, options?: McpContentOptions): Promise<readonly string[]>;
}

/** How to ask a server for content. */
export interface McpContentOptions {
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

/** What to list. */
export interface McpListOptions extends McpContentOptions {
  /** The name of a server in the config. Default: all. */
  readonly server?: string | undefined;
}

interface Target {
  readonly server: RemoteServer;
  readonly redact: (text: string) => string;
}

const MAX_PARTS = 100;
const MAX_BYTES = 10 * 1024 * 1024;
const NEVER = new AbortController().signal;
const RESOURCES: ListKind = { method: 'resources/list', key: 'resources', capability: 'resources', id: 'uri' };
const TEMPLATES: ListKind = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  capability: 'resources',
  id: 'uriTemplate',
};
const PROMPTS: ListKind = { method: 'prompts/list', key: 'prompts', capability: 'prompts', id: 'name' };

export function createContents(targets: readonly Target[], timeoutMs: number): McpContents {
  async function ask<T>(
    { server, redact }: Target,
    signal: AbortSignal = NEVER,
    request: (client: Client, options: { readonly signal: AbortSignal; readonly timeout: number }) => Promise<T>,
  ): Promise<T> {
    const data = { server: server.config.name };
    const { client } = await untilAborted(server.connection(), signal);
    try {
      return await request(client, { signal, timeout: timeoutMs });
    } catch (error) {
      signal.throwIfAborted();
      if (KernelError.is(error)) throw error;
      const text = `MCP server "${server.config.name}" failed: ${errorMessage(error)}`;
      throw new KernelError('TOOL_FAILED', redact(text), { data });
    }
  }
  const target = (name: string): Target => {
    const found = targets.find(({ server }) => server.config.name === name);
    if (found !== undefined) return found;
    const hint = `Connected: ${targets.map(({ server }) => server.config.name).join(', ') || 'none'}.`;
    throw new KernelError('TOOL_NOT_FOUND', `no MCP server is named "${name}".`, { hint });
  };
  const list = async <T>(
    kind: ListKind,
    { server, signal }: McpListOptions,
    read: (entry: Readonly<Record<string, unknown>>, server: string) => T | undefined,
  ): Promise<readonly T[]> => {
    const asked = server === undefined ? targets : [target(server)];
    const lists = await Promise.all(
      asked.map(async (each) => {
        const { entries } = await ask(each, signal, (client, options) =>
          listEntries(client, kind, options.signal, options.timeout),
        );
        return entries.flatMap((entry) => (isObject(entry) ? (read(entry, each.server.config.name) ?? []) : []));
      }),
    );
    return lists.flat();
  };
  return {
    listResources: (options = {}) =>
      list(RESOURCES, options, (entry, server) => {
        const { uri, size } = entry;
        if (typeof uri !== 'string') return undefined;
        return { server, uri, ...about(entry, uri), ...(typeof size === 'number' && size >= 0 && { size }) };
      }),
    listResourceTemplates: (options = {}) =>
      list(TEMPLATES, options, (entry, server) => {
        const { uriTemplate } = entry;
        return typeof uriTemplate === 'string' ? { server, uriTemplate, ...about(entry, uriTemplate) } : undefined;
      }),
    async readResource({ server, uri }, { signal } = {}) {
      const { contents } = await ask(target(server), signal, (client, options) =>
        client.readResource({ uri }, options),
      );
      return bounded(
        server,
        contents.map((resource) => toMessagePart({ type: 'resource', resource })),
      );
    },
    listPrompts: (options = {}) =>
      list(PROMPTS, options, ({ name, description, arguments: inputs }, server) => {
        if (typeof name !== 'string') return undefined;
        const all: readonly unknown[] = Array.isArray(inputs) ? inputs.slice(0, MAX_PARTS) : [];
        return { server, name, ...textField({ description }), arguments: all.flatMap(toArgument) };
      }),
    async getPrompt({ server, name }, input = {}, { signal } = {}) {
      const { messages } = await ask(target(server), signal, (client, options) =>
        client.getPrompt({ name, arguments: { ...input } }, options),
      );
      const parts = bounded(
        server,
        messages.map(({ content }) => toMessagePart(content)),
      );
      return parts.map((part, index): Message => ({ role: messages[index]?.role ?? 'user', content: [part] }));
    },
    async complete({ server, prompt, uriTemplate, argument: name, value, given }, { signal } = {}) {
      const ref =
        prompt === undefined
          ? ({ type: 'ref/resource', uri: uriTemplate ?? '' } as const)
          : ({ type: 'ref/prompt', name: prompt } as const);
      const context = given === undefined ? {} : { context: { arguments: { ...given } } };
      const { completion } = await ask(target(server), signal, async (client, options) =>
        client.getServerCapabilities()?.completions === undefined
          ? { completion: { values: [] } }
          : client.complete({ ref, argument: { name, value }, ...context }, options),
      );
      return completion.values.slice(0, MAX_PARTS);
    },
  };
}

type Block = Parameters<typeof toPart>[0];

/** A resource gives its text alone: whoever asked knows its address. */
function toMessagePart(block: Block): TextPart | MediaPart {
  if (block.type === 'resource' && 'text' in block.resource) return { type: 'text', text: block.resource.text };
  const part = toPart(block);
  return typeof part === 'string' ? { type: 'text', text: part } : part;
}

function bounded<T extends TextPart | MediaPart>(server: string, parts: readonly T[]): readonly T[] {
  const bytes = parts.reduce((sum, part) => sum + ('text' in part ? part.text : (part.data ?? '')).length, 0);
  if (parts.length <= MAX_PARTS && bytes <= MAX_BYTES) return parts;
  const what =
    parts.length > MAX_PARTS
      ? `${parts.length} parts (at most ${MAX_PARTS})`
      : `${bytes} characters (at most ${MAX_BYTES})`;
  throw new KernelError('TOOL_FAILED', `MCP server "${server}" sent ${what}.`, { data: { server } });
}

function about(entry: Readonly<Record<string, unknown>>, id: string) {
  const { title, name, description, mimeType } = entry;
  const shown = [title, name].find((each) => typeof each === 'string' && each !== '');
  return { name: visibleText(typeof shown === 'string' ? shown : id), ...textField({ description, mimeType }) };
}

/** The members that are texts, with what hides in them written out. */
function textField<Name extends string>(fields: { readonly [K in Name]: unknown }): { readonly [K in Name]?: string } {
  const texts = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? visibleText(value) : undefined,
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from these names
  return definedFields(Object.fromEntries(texts)) as { readonly [K in Name]?: string };
}

function toArgument(value: unknown): readonly McpPromptArgument[] {
  if (!isObject(value) || typeof value['name'] !== 'string') return [];
  const { name, description, required } = value;
  return [{ name, ...textField({ description }), required: required === true }];
}

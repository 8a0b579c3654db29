import { definedFields, isObject, visibleText } from '@kernel/internal';
import { KernelError, type MediaPart, type Message, type TextPart } from '@kernel/protocol';
import type { AskServer } from './ask-server.ts';
import { toPart } from './calls/tool-result.ts';
import { listEntries, type ListKind, PROMPTS, RESOURCES, TEMPLATES } from './connection/list-tools.ts';
import { METHOD_NOT_FOUND } from '../json-rpc.ts';
import type { McpContents, McpListOptions, McpPromptArgument } from './contents.ts';

const MAX_PARTS = 100;
const MAX_BYTES = 10 * 1024 * 1024;

export function createContents({ ask, find: target, servers: targets }: AskServer): McpContents {
  const list = async <T>(
    kind: ListKind,
    { server, signal }: McpListOptions,
    read: (entry: Readonly<Record<string, unknown>>, server: string) => T | undefined,
  ): Promise<readonly T[]> => {
    const asked = server === undefined ? targets : [target(server)];
    const lists = await Promise.all(
      asked.map(async (each) => {
        const { entries } = await ask(each, signal, (client, options) =>
          listEntries(client, kind, options.signal, options.timeout).catch((error: unknown) => {
            // Servers with resources need not know of templates.
            if (kind === TEMPLATES && hasCode(error, METHOD_NOT_FOUND)) return { entries: [] };
            throw error;
          }),
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
    serverInfo: (server, { signal } = {}) =>
      ask(target(server), signal, (client) => {
        const { name, version } = client.getServerVersion() ?? {};
        const { resources, prompts } = client.getServerCapabilities() ?? {};
        return Promise.resolve({
          server,
          hasResources: resources !== undefined,
          hasPrompts: prompts !== undefined,
          ...textField({ protocolVersion: client.getNegotiatedProtocolVersion(), name, version }),
        });
      }),
  };
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
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

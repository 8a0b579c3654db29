import { callTool } from '@kernel/protocol';
/** The clients of the matrix, alike whoever wrote them. */
import { connectMcp, type McpServerConfig } from '@kernel/mcp';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Revision } from '../lib/conformance-suite.ts';

/** What a call came to. */
export interface Called {
  readonly text: string;
  readonly data?: unknown;
  readonly isError: boolean;
}

export interface Session {
  /** The names of the tools, as the server spells them. */
  names(): Promise<readonly string[]>;
  call(name: string, input: object, options?: { onProgress?: () => void; signal?: AbortSignal }): Promise<Called>;
  /** The revision that is spoken, where the client knows it. */
  readonly revision?: string | undefined;
  close(): Promise<void>;
}

/** Where a server is: a program to start, or an address. */
export type Target = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

const ANSWER = { action: 'accept', content: { name: 'Ada' } } as const;
const INFO = { name: 'matrix', version: '1' };
const CAPABILITIES = { capabilities: { elicitation: {} } };

/** Our client. */
export async function openOurs(target: Target): Promise<Session> {
  const config: McpServerConfig = target;
  const toolset = await connectMcp({ mcpServers: { s: config } }, { elicit: () => Promise.resolve(ANSWER) });
  return {
    names: () => Promise.resolve(toolset.list().map(({ name }) => name.slice('mcp__s__'.length))),
    async call(name, input, { onProgress, signal = new AbortController().signal } = {}) {
      const call = { type: 'tool-call', id: name, name: `mcp__s__${name}`, arguments: JSON.stringify(input) } as const;
      const { forLLM: text, data, isError = false } = await callTool(toolset, call, { signal, onProgress });
      return { text, data, isError };
    },
    close: () => toolset.close(),
  };
}

/** The client of a version of the SDK. */
export function openSdk(version: 1 | 2, target: Target, revision: Revision): Promise<Session> {
  return version === 1 ? openSdk1(target) : openSdk2(target, revision);
}

async function openSdk1(target: Target): Promise<Session> {
  const client = new Client1(INFO, CAPABILITIES);
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
  const transport = 'url' in target ? new Http1(new URL(target.url)) : new Stdio1(programOf(target));
  await client.connect(transport);
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input, { onProgress, signal } = {}) =>
      toCalled(await client.callTool({ name, arguments: { ...input } }, undefined, optionsOf(onProgress, signal))),
    close: () => client.close(),
  };
}

async function openSdk2(target: Target, revision: Revision): Promise<Session> {
  const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy';
  const client = new Client2(INFO, { ...CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => ANSWER);
  await client.connect('url' in target ? new Http2(new URL(target.url)) : new Stdio2(programOf(target)));
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input, { onProgress, signal } = {}) =>
      toCalled(await client.callTool({ name, arguments: { ...input } }, optionsOf(onProgress, signal))),
    revision: client.getNegotiatedProtocolVersion(),
    close: () => client.close(),
  };
}

function programOf({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  return { command, args: [...args] };
}

function optionsOf(onProgress: (() => void) | undefined, signal: AbortSignal | undefined) {
  return {
    ...(onProgress === undefined ? {} : { onprogress: onProgress }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function toCalled(result: object): Called {
  const {
    content,
    structuredContent: data,
    isError,
  } = result as {
    readonly content: readonly { readonly text?: string }[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
  };
  return { text: content[0]?.text ?? '', data, isError: isError === true };
}

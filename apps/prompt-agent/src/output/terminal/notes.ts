import {
  type AgentEvent,
  type Citation,
  type Message,
  type ServerToolResult,
  toModelText,
  type Usage,
} from '@kernel/protocol';
import type { Retry } from '@kernel/providers';
import type { Choice } from '../../model/choose-model.ts';
import { oneLine } from '../escape.ts';

const OFFLINE =
  'offline: no language model, only tools picked by their descriptions. For a real model set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama.';

/** The event of a call that has ended. */
export type ToolEnd = Extract<AgentEvent, { readonly type: 'tool-end' }>;

export function modelNote({ provider, model, from }: Choice): string {
  if (provider.name === 'offline') return OFFLINE;
  const at = provider.baseUrl === undefined ? '' : ` at ${originOf(provider.baseUrl)}`;
  return oneLine(`model: ${provider.name}/${model}${at} (${from})`);
}

export function retryNote({ retry, waitMs, error }: Retry): string {
  return oneLine(`retry ${retry} in ${(waitMs / 1000).toFixed(1)} s: ${error.message}`, 300);
}

export function toolNote({ call, result, durationMs }: ToolEnd): string {
  const outcome =
    result.isError === true ? `${result.outcome ?? 'failed'}: ${oneLine(withoutCode(toModelText(result)), 200)}` : 'ok';
  return `tool: ${oneLine(call.name, 64)} ${oneLine(call.arguments)} ${Math.round(durationMs)} ms ${outcome}`;
}

export function serverToolNote({ name, isError, sources = [] }: ServerToolResult): string {
  const found = sources.length === 0 ? 'ok' : `found ${sources.length}`;
  return `vendor's tool: ${oneLine(name, 64)} ${isError === true ? 'failed' : found}`;
}

/** Removes the code at the beginning of an error result, which is for models. */
export function withoutCode(text: string): string {
  return text.replace(/^[A-Z]+(?:_[A-Z]+)+: /, '');
}

export function usageNote(usage: Usage, turns: number): string | undefined {
  if (usage.inputTokens === 0 && usage.outputTokens === 0) return undefined;
  return `tokens: ${usage.inputTokens} in + ${usage.outputTokens} out = ${usage.inputTokens + usage.outputTokens} in ${turns} ${turns === 1 ? 'turn' : 'turns'}`;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

const MAX_SOURCES = 50;

/** Returns the sources of the texts in messages, each page or document once, in order. */
export function sourcesOf(messages: readonly Message[]): readonly Citation[] {
  const sources = new Map<string, Citation>();
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue;
    for (const part of content) {
      for (const citation of part.type === 'text' ? (part.citations ?? []) : []) {
        const key = citation.url ?? citation.document ?? citation.title ?? '';
        if (!sources.has(key)) sources.set(key, citation);
      }
    }
  }
  return [...sources.values()].slice(0, MAX_SOURCES);
}

export function sourceNotes(sources: readonly Citation[]): readonly string[] {
  return sources.map(({ url, title, document }) => {
    const name = title ?? document;
    const texts = [name === undefined ? [] : [oneLine(name, 100)], url === undefined ? [] : [oneLine(url, 200)]];
    return `source: ${texts.flat().join(' – ')}`;
  });
}

import { terminalText, visible } from '@kernel/internal';
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk/unstable';

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text: terminalText(text) };
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Lines as a block of code in Markdown, with every character that may not show written out. */
export function codeBlock(lines: readonly string[]): string {
  return fenced(lines.map((each) => visible(each)).join('\n'));
}

/** A text as a block of code in Markdown, which nothing in it can close. */
export function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

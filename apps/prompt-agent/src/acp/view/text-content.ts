import { terminalText, visible } from '@kernel/internal';
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk/unstable';

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text: terminalText(text) };
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Lines as a block of code in Markdown, which nothing in them can close. */
export function codeBlock(lines: readonly string[]): string {
  const text = lines.map((each) => visible(each)).join('\n');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

import { mapTexts } from './fill-variables.ts';
import type { ServerEntry } from './server-files.ts';

/** Checks an entry as far as that can be done before its variables are filled. Rejects with what is wrong with it. */
export async function checkEntry(name: string, entry: ServerEntry): Promise<void> {
  const { toMcpConfig } = await import('@kernel/mcp');
  toMcpConfig({ mcpServers: { [name]: mapTexts(entry, withoutPlaceholders) } });
}

/** A text as it may be once its variables are filled. */
function withoutPlaceholders(text: string): string {
  return text.replace(/^\$\{[^}]{0,4096}\}/, 'https://x').replaceAll(/\$\{[^}]{0,4096}\}/g, 'x');
}

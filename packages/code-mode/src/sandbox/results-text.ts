import type { SandboxResult } from '@kernel/protocol';

/** The results of calls as the machine takes them: a JSON array, in which values stand as they are. Empty without results. */
export function resultsText(results: readonly SandboxResult[]): string {
  if (results.length === 0) return '';
  const items = results.map((result) =>
    'value' in result ? `{"value":${result.value}}` : JSON.stringify({ error: result.error }),
  );
  return `[${items.join(',')}]`;
}

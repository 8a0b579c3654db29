import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';

/** A marker on a line of its own, and the fence below it, if there is one. */
const MARKED = /^<!-- snippet: (\S+) -->(?:\n\n?```ts\n([\s\S]*?)```)?/gm;
const FENCE = /```ts\n/g;

/**
 * Snippets: every TypeScript fence of a README or guide comes from a file that CI runs. It follows
 * `<!-- snippet: examples/01-name.ts -->` and equals that file, without the file's leading comment.
 */
export const snippets: Rule = (root) =>
  documents(root).flatMap((file): readonly Problem[] => {
    const text = readFileSync(join(root, file), 'utf8');
    const marked = [...text.matchAll(MARKED)];
    const filled = marked.filter(([, , body]) => body !== undefined);
    const unmarked = [...text.matchAll(FENCE)].length - filled.length;
    const problems: Problem[] = marked.flatMap((match) => {
      const [, source = '', body] = match;
      const line = text.slice(0, match.index).split('\n').length;
      if (!existsSync(join(root, source)))
        return [{ rule: 'snippets', file, line, message: `${source} does not exist.` }];
      if (body === undefined)
        return [
          { rule: 'snippets', file, line, message: 'the snippet marker has no ts fence below it. Run: pnpm tidy:fix' },
        ];
      if (body === snippetOf(root, source)) return [];
      return [{ rule: 'snippets', file, line, message: `the snippet differs from ${source}. Run: pnpm tidy:fix` }];
    });
    if (unmarked > 0)
      problems.push({
        rule: 'snippets',
        file,
        message: `${unmarked} ts fences without a <!-- snippet: … --> line above.`,
      });
    return problems;
  });

/** Updates every marked snippet from its source, and puts in those that are missing. Returns the files that it changed. */
export function syncSnippets(root: string): readonly string[] {
  return documents(root).filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const synced = text.replaceAll(MARKED, (whole, source: string) =>
      existsSync(join(root, source))
        ? `<!-- snippet: ${source} -->\n\n\`\`\`ts\n${snippetOf(root, source)}\`\`\``
        : whole,
    );
    if (synced === text) return false;
    writeFileSync(join(root, file), synced);
    return true;
  });
}

function documents(root: string): readonly string[] {
  const patterns = ['README.md', 'packages/*/README.md', 'apps/*/README.md', 'docs/guides/*.md'];
  return globSync(patterns, { cwd: root }).toSorted();
}

function snippetOf(root: string, source: string): string {
  return readFileSync(join(root, source), 'utf8').replace(/^(?:\/\/.*\n)+\n*/, '');
}

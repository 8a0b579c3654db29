import { readFileSync } from 'node:fs';

const known = new Map<string, ReadonlySet<string>>();

/** Returns the anchors of a Markdown file: one for each heading, as on GitHub, and each `id`. Cached per process. */
export function anchorsOf(file: string): ReadonlySet<string> {
  const anchors = known.get(file) ?? anchorsIn(readFileSync(file, 'utf8'));
  known.set(file, anchors);
  return anchors;
}

/** Returns the anchors of a Markdown text. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id));
  const prose = text.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '');
  const counts = new Map<string, number>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** In lower case, without link targets and punctuation, with hyphens for spaces. */
function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

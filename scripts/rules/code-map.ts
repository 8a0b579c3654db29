import { existsSync, globSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { anchorsOf } from '../lib/anchors.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';
import { readText } from '../lib/read-text.ts';

/**
 * Code map: the README of each package mentions every folder of its sources, and every relative link of a document leads to something, an anchor
 * to a heading.
 */
export const codeMap: Rule = (root) => [
  ...sourceFolders(root).flatMap((folder): readonly Problem[] => {
    const [kind = '', name = '', ...inner] = folder.split('/');
    const file = `${kind}/${name}/README.md`;
    const isMissing = inner.length > 1 && !mentions(readText(root, file), inner.join('/'));
    return isMissing ? [{ rule: 'code-map', file, message: `does not mention ${inner.join('/')}.` }] : [];
  }),
  ...documents(root).flatMap((file) => brokenLinks(root, file, readText(root, file))),
];

/** Every folder that holds sources. */
function sourceFolders(root: string): readonly string[] {
  const folders = sourceFiles(root).map((file) => dirname(file).split(sep).join('/'));
  return [...new Set(folders)].toSorted();
}

/** Whether a text mentions a path as a whole: `src/tool-prompt` is not `src/tool`. */
function mentions(text: string, path: string): boolean {
  return new RegExp(`${path.replaceAll('.', String.raw`\.`)}(?![\\w-])`).test(text);
}

function documents(root: string): readonly string[] {
  const patterns = [
    '*.md',
    'docs/**/*.md',
    'packages/*/*.md',
    'apps/*/*.md',
    'bench/*.md',
    '{scripts,test}/*/README.md',
    'test/runtimes/binaries/README.md',
  ];
  return globSync(patterns, { cwd: root }).filter((file) => !file.endsWith('CHANGELOG.md'));
}

/** Returns the links of a document whose file or heading does not exist. */
function brokenLinks(root: string, file: string, text: string): readonly Problem[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, (fence) => fence.replaceAll(/[^\n]/g, ' '));
  return [...prose.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
    ([whole, target = '', anchor], index, all): readonly Problem[] => {
      const path = target === '' ? join(root, file) : join(root, dirname(file), target);
      const line = prose.slice(0, all[index]?.index).split('\n').length;
      const problem = (message: string): readonly Problem[] => [{ rule: 'code-map', file, line, message }];
      if (!existsSync(path)) return problem(`links to ${target}, which does not exist.`);
      if (anchor === undefined || !path.endsWith('.md') || anchorsOf(path).has(anchor)) return [];
      return problem(`links to ${whole.slice(2, -1)}, where no heading has that name.`);
    },
  );
}

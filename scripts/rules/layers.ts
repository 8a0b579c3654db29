import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** What each package may import at run time beside Node's own modules; `docs/adr/0002` says why. Apps may import all packages. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'packages/protocol': [],
  'packages/internal': [],
  'packages/tools': ['@kernel/protocol', '@kernel/internal'],
  'packages/providers': ['@kernel/protocol', '@kernel/internal', 'undici'],
  'packages/offline': ['@kernel/protocol', '@kernel/internal'],
  'packages/agent': ['@kernel/protocol', '@kernel/internal'],
  'packages/testing': ['@kernel/protocol'],
  'packages/mcp': [
    '@kernel/protocol',
    '@kernel/internal',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/node',
    '@modelcontextprotocol/server',
  ],
};

/** Modules that one file alone may import, as an optional peer. */
const BY_FILE: Readonly<Record<string, readonly string[]>> = {
  'packages/protocol/src/schemas.ts': ['zod'],
  'packages/agent/src/otel.ts': ['@opentelemetry/api'],
  'packages/providers/src/bedrock/optional-packages.ts': [
    '@aws-sdk/credential-providers',
    '@smithy/core',
    '@smithy/signature-v4',
  ],
};

const IMPORT =
  /^\s*(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gms;

/** Layers: no package imports a sibling, protocol imports nothing at run time, a relative import stays in its package. */
export const layers: Rule = (root) => sourceFiles(root).flatMap((file) => checkFile(root, file));

function checkFile(root: string, file: string): readonly Problem[] {
  const folder = file.split(sep).slice(0, 2).join('/');
  const text = readFileSync(join(root, file), 'utf8');
  const problems: Problem[] = [];
  for (const match of text.matchAll(IMPORT)) {
    const specifier = match[2] ?? match[3] ?? '';
    const message = problemOf(folder, file, specifier, match[1] !== undefined);
    const line = text.slice(0, match.index).split('\n').length;
    if (message !== undefined) problems.push({ rule: 'layers', file, line, message });
  }
  return problems;
}

function problemOf(folder: string, file: string, specifier: string, isType: boolean): string | undefined {
  if (specifier.startsWith('.')) {
    const target = normalize(join(dirname(file), specifier))
      .split(sep)
      .join('/');
    return target.startsWith(`${folder}/src/`) ? undefined : `"${specifier}" leaves the sources of ${folder}.`;
  }
  const name = packageOf(specifier);
  if (builtinModules.includes(name) || name.startsWith('node:')) {
    if (folder !== 'packages/protocol' && folder !== 'packages/internal') return undefined;
    return `${folder.replace('packages/', '')} imports nothing, not even "${specifier}".`;
  }
  if (folder.startsWith('apps/')) return undefined;
  const allowed = [...(ALLOWED[folder] ?? []), ...(BY_FILE[file.split(sep).join('/')] ?? [])];
  if (allowed.includes(name)) return undefined;
  const what = isType ? 'not even the types of' : 'not';
  return `${folder} may import ${allowed.join(', ') || 'nothing'}, ${what} "${specifier}".`;
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

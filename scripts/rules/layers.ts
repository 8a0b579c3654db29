import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize, sep } from 'node:path';
import { importsOf } from '../lib/imports.ts';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** What each package may import at run time besides Node's own modules; ADR 0002 gives the reasons. Apps may import all packages. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'packages/protocol': ['@kernel/internal'],
  'packages/internal': [],
  'packages/schema': ['@kernel/protocol', '@kernel/internal'],
  'packages/tools': ['@kernel/protocol', '@kernel/schema', '@kernel/internal'],
  // `#transport` is its own: the manifest says which module each runtime takes (ADR 0071).
  'packages/providers': ['@kernel/protocol', '@kernel/internal', 'undici', '#transport'],
  'packages/offline': ['@kernel/protocol', '@kernel/internal'],
  'packages/agent': ['@kernel/protocol', '@kernel/schema', '@kernel/internal'],
  'packages/code-mode': [
    '@kernel/agent',
    '@kernel/protocol',
    '@kernel/schema',
    '@kernel/internal',
    'acorn',
    'quickjs-wasi',
    'sucrase',
  ],
  'packages/acp': [
    '@kernel/agent',
    '@kernel/protocol',
    '@kernel/schema',
    '@kernel/toolbox',
    '@kernel/internal',
    '@agentclientprotocol/sdk',
    'diff',
  ],
  'packages/durable': ['@kernel/protocol', '@kernel/internal'],
  'packages/restate': ['@kernel/protocol', '@kernel/internal', '@restatedev/restate-sdk'],
  'packages/testing': ['@kernel/protocol', '@kernel/internal'],
  'packages/toolbox': [
    '@kernel/protocol',
    '@kernel/schema',
    '@kernel/internal',
    'croner',
    'diff',
    'ignore',
    'minisearch',
    'robots-parser',
    'turndown',
    'unpdf',
    'yaml',
  ],
  'packages/mcp': [
    '@kernel/protocol',
    '@kernel/schema',
    '@kernel/internal',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/node',
    '@modelcontextprotocol/server',
  ],
};

/** Modules that one file alone may import, as an optional peer. */
const BY_FILE: Readonly<Record<string, readonly string[]>> = {
  'packages/protocol/src/schemas/frozen.ts': ['zod'],
  'packages/protocol/src/schemas/index.ts': ['zod'],
  'packages/protocol/src/schemas/parts.ts': ['zod'],
  'packages/agent/src/config/agent-schema.ts': ['zod'],
  'packages/agent/src/config/parse-config.ts': ['zod'],
  'packages/agent/src/config/provider-schema.ts': ['zod'],
  'packages/agent/src/config/setting-schemas.ts': ['zod'],
  'packages/agent/src/wrappers/otel.ts': ['@opentelemetry/api'],
  'packages/providers/src/bedrock/optional-packages.ts': [
    '@aws-sdk/credential-providers',
    '@smithy/core',
    '@smithy/signature-v4',
  ],
};

/** Layers: no package imports a sibling, protocol imports only what is bundled into it, a relative import stays in its package. */
export const layers: Rule = (root) => sourceFiles(root).flatMap((file) => checkFile(root, file));

function checkFile(root: string, file: string): readonly Problem[] {
  const folder = file.split(sep).slice(0, 2).join('/');
  return importsOf(readFileSync(join(root, file), 'utf8')).flatMap(
    ({ specifier, isType, line }): readonly Problem[] => {
      const message = problemOf(folder, file, specifier, isType);
      return message === undefined ? [] : [{ rule: 'layers', file, line, message }];
    },
  );
}

function problemOf(folder: string, file: string, specifier: string, isType: boolean): string | undefined {
  if (specifier.startsWith('.')) {
    if (!specifier.endsWith('.ts')) return `"${specifier}" needs its ending: .ts.`;
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

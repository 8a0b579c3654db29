import { join, resolve } from 'node:path';
import type { Host } from '../host.ts';
import { configFolder, stateFolder } from './folders.ts';

/** A place that the program looks at. */
export interface ConfigPath {
  /** What is kept there, for people. */
  readonly what: string;
  /** The absolute path. */
  readonly path: string;
}

/** Returns where the program looks for its settings, and where it keeps what it remembers. */
export function configPaths(host: Pick<Host, 'env' | 'home' | 'cwd'>): readonly ConfigPath[] {
  const config = configFolder(host);
  return [
    { what: "the project's config", path: resolve(host.cwd, 'config.json') },
    { what: 'your own config', path: join(config, 'config.json') },
    { what: 'templates', path: join(config, 'templates') },
    { what: 'roles', path: join(config, 'roles') },
    { what: 'state', path: stateFolder(host) },
  ];
}

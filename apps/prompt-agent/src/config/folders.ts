import { isAbsolute, join, resolve } from 'node:path';
import type { Host } from '../host.ts';

export function configFolder({ env, home }: Pick<Host, 'env' | 'home'>): string {
  return join(baseFolder(env['XDG_CONFIG_HOME'], join(home, '.config')), 'prompt-agent');
}

/** The program's folder for what it remembers, by the XDG base directory specification. */
export function stateFolder({ env, home }: Pick<Host, 'env' | 'home'>): string {
  return join(baseFolder(env['XDG_STATE_HOME'], join(home, '.local', 'state')), 'prompt-agent');
}

export function cacheFolder({ env, home }: Pick<Host, 'env' | 'home'>): string {
  return join(baseFolder(env['XDG_CACHE_HOME'], join(home, '.cache')), 'prompt-agent');
}

/** By the specification, a path that is not absolute is ignored. */
function baseFolder(given: string | undefined, otherwise: string): string {
  return given !== undefined && isAbsolute(given) ? given : otherwise;
}

export function configPaths(host: Pick<Host, 'env' | 'home' | 'cwd'>) {
  const config = configFolder(host);
  return [
    { what: "the project's config", path: resolve(host.cwd, 'config.json') },
    { what: 'your own config', path: join(config, 'config.json') },
    { what: "the project's MCP servers", path: resolve(host.cwd, '.mcp.json') },
    { what: 'your own MCP servers', path: join(config, 'mcp.json') },
    { what: 'templates', path: join(config, 'templates') },
    { what: 'roles', path: join(config, 'roles') },
    { what: 'state', path: stateFolder(host) },
  ];
}

import type { IsolatedCommand } from '../isolation/types.ts';

const NAME = /^[A-Za-z_]\w*$/;
/** A terminal makes some programs page what they write, and wait for a key. */
const UNPAGED = { PAGER: 'cat', GIT_PAGER: 'cat' };

/**
 * The same command for a terminal of an editor, which has variables of its own: only those that are named reach it, and nothing is typed into it. The values
 * are not among its words, which an editor shows.
 */
export function wrapForTerminal(isolated: IsolatedCommand): IsolatedCommand {
  const { args, program, variables } = isolated;
  const given = { ...UNPAGED, ...variables };
  if (process.platform === 'win32') return { ...isolated, variables: given };
  const names = Object.keys(given).filter((name) => NAME.test(name));
  const script = `exec /usr/bin/env -i ${names.map((name) => `${name}="$${name}"`).join(' ')} "$@" </dev/null`;
  // What has an equals sign is a variable to `env`.
  const command = program.includes('=') ? ['/bin/sh', '-c', 'exec "$@"', 'sh', program, ...args] : [program, ...args];
  return { program: '/bin/sh', args: ['-c', script, 'sh', ...command], variables: given };
}

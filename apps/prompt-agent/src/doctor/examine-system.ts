import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Host } from '../host.ts';
import { hasTerminal } from '../questions/ask.ts';
import type { Examination, Finding } from './finding.ts';

/** Programs that tools use where they are there, and what for. */
const PROGRAMS: readonly (readonly [name: string, use: string])[] = [
  ['git', 'code_agent looks at changes with it'],
  ['rg', 'search_text is faster with ripgrep'],
  ['bwrap', 'commands are isolated with bubblewrap'],
  ['secret-tool', 'keys can be kept in the Secret Service with it'],
];

/** Examines the system: Node, programs that tools use, what isolates commands, the terminal. */
export async function examineSystem(host: Host): Promise<Examination> {
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  const isolation = await detectIsolation();
  const programs = PROGRAMS.map(([name, use]): Finding => {
    const path = findOnPath(name, host.env['PATH'] ?? '');
    return { what: name, state: path === undefined ? 'none' : 'ok', detail: path ?? `not on PATH: ${use}` };
  });
  return {
    title: 'System',
    findings: [
      { what: 'Node', state: 'ok', detail: `${process.version} on ${process.platform} ${process.arch}` },
      ...programs,
      {
        what: 'isolation',
        state: isolation === undefined ? 'none' : 'ok',
        detail: isolation?.name ?? 'none: commands of tools run with your rights. Install bubblewrap',
      },
      {
        what: 'terminal',
        state: hasTerminal(host) ? 'ok' : 'none',
        detail: hasTerminal(host) ? 'approvals can be asked for' : 'none: nothing can be asked; give --allow rules',
      },
    ],
  };
}

function findOnPath(name: string, path: string): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const folder of path.split(delimiter).filter((each) => isAbsolute(each)))
    for (const ending of endings) {
      const file = join(folder, name + ending);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Looked for in the next folder.
      }
    }
  return undefined;
}

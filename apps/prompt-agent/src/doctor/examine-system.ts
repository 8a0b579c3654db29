import { findProgram } from '@kernel/internal';
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
    const path = findProgram(name, { workspace: host.cwd, path: host.env['PATH'] ?? '' });
    return { what: name, state: path === undefined ? 'none' : 'ok', detail: path ?? `not found: ${use}` };
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

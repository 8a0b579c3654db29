import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startWireServer, type WireServer } from '@kernel/testing';
import type { AgentPlaces, RealAgent } from './real-agents.ts';
import { scriptedModel } from './scripted-model.ts';
import type { AgentCommand } from './start-agent.ts';

/** Where a session takes place: a project, a home and a model. */
export interface Stage extends AgentPlaces {
  /** What holds all of them. */
  readonly root: string;
  readonly server: WireServer;
  /** Starts the agent there. */
  readonly command: AgentCommand;
  /** Closes the model and removes the folders. */
  close(): Promise<void>;
}

/** What the project's greet.txt has first. */
export const UNCHANGED = 'Hello.\n';

/** Sets up a project for an agent, whose model is its script. */
export async function openStage(agent: RealAgent, temporary = tmpdir()): Promise<Stage> {
  const root = realpathSync(mkdtempSync(join(temporary, 'acp-')));
  const [home, folder] = [join(root, 'home'), join(root, 'project')];
  const server = await startWireServer({
    // What vendors take is more than what our own wires send.
    strict: false,
    replies: (request, at) => script(request, at),
  });
  const places: AgentPlaces = { model: server.url, home, folder };
  const script = scriptedModel((where) => agent.script(where), agent.tools, folder);
  write(home, { '.keep': '', ...agent.files?.(places) });
  write(folder, { 'greet.txt': UNCHANGED, 'check.sh': 'grep -q welcome greet.txt && echo friendly\n' });
  const isScript = agent.file.endsWith('.js');
  return {
    ...places,
    root,
    server,
    command: {
      program: isScript ? process.execPath : agent.file,
      args: [...(isScript ? [agent.file] : []), ...(agent.args ?? [])],
      cwd: folder,
      watch: join(folder, 'greet.txt'),
      variables: {
        PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        HOME: home,
        TMPDIR: root,
        LANG: 'C.UTF-8',
        DO_NOT_TRACK: '1',
        // Whatever else it would reach is not there.
        HTTP_PROXY: 'http://127.0.0.1:9',
        HTTPS_PROXY: 'http://127.0.0.1:9',
        NO_PROXY: '127.0.0.1,localhost',
        ...agent.variables(places),
      },
    },
    async close() {
      await server.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

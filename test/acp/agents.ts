/**
 * Runs the agents that are installed in `programs`, each with a model that is a script on 127.0.0.1, and prints what they did.
 *
 *     node test/acp/agents.ts [--record] [name …]
 *
 * With `--record` the sessions become the recordings that `recordings.test.ts` plays.
 */
/* oxlint-disable no-console */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startWireServer } from '@kernel/testing';
import { createMessageCheck } from './lib/check-messages.ts';
import { driveSession, type SessionOutcome } from './lib/drive-session.ts';
import { type AgentPlaces, PROGRAMS, REAL_AGENTS, type RealAgent } from './lib/real-agents.ts';
import { FOLDER, formatRecording, isMessage } from './lib/recorded.ts';
import { scriptedModel } from './lib/scripted-model.ts';
import { startAgent } from './lib/start-agent.ts';

const PATIENCE_MS = 60_000;

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
const rows: string[][] = [];
for (const agent of REAL_AGENTS) {
  if (names.length > 0 && !names.includes(agent.name)) continue;
  if (!existsSync(PROGRAMS + agent.file)) {
    rows.push([agent.name, 'not installed']);
    continue;
  }
  rows.push([versionOf(agent), ...(await tryAgent(agent))]);
}
for (const row of rows) console.log(row.join(' | '));

function versionOf({ packages }: RealAgent): string {
  return packages
    .map(
      (name) =>
        `${name}@${(JSON.parse(readFileSync(`${PROGRAMS}${name}/package.json`, 'utf8')) as { version: string }).version}`,
    )
    .join(' with ');
}

async function tryAgent(agent: RealAgent): Promise<readonly string[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'acp-agent-')));
  const places: AgentPlaces = { model: '', home: join(root, 'home'), folder: join(root, 'project') };
  const model = await startWireServer({ strict: false, replies: (request, at) => script(request, at) });
  const script = scriptedModel(agent.script(places), agent.tools);
  const where = { ...places, model: model.url };
  write(places.home, { '.keep': '', ...agent.files?.(where) });
  write(places.folder, { 'greet.txt': 'Hello.\n', 'check.sh': 'grep -q welcome greet.txt && echo friendly\n' });
  const isScript = agent.file.endsWith('.js');
  const running = startAgent({
    watch: join(places.folder, 'greet.txt'),
    program: isScript ? process.execPath : PROGRAMS + agent.file,
    args: [...(isScript ? [PROGRAMS + agent.file] : []), ...(agent.args ?? [])],
    cwd: places.folder,
    variables: {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: places.home,
      TMPDIR: root,
      LANG: 'C.UTF-8',
      DO_NOT_TRACK: '1',
      // Whatever else it would reach is not there.
      HTTP_PROXY: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost',
      ...agent.variables(where),
    },
  });
  try {
    const outcome = await Promise.race([driveSession(running.stream, places.folder, { mode: agent.mode }), tooLate()]);
    const check = createMessageCheck();
    const problems = running.events.filter(isMessage).flatMap(check);
    const file = readFileSync(join(places.folder, 'greet.txt'), 'utf8').trim();
    if (args.includes('--record')) {
      const text = formatRecording({ agent: versionOf(agent), events: running.events }, [
        [places.folder, FOLDER],
        // As titles are.
        [places.folder.slice(1), FOLDER],
        [places.home, '<home>'],
        [root, '<root>'],
        [PROGRAMS.slice(0, -1), '<programs>'],
        [process.execPath, '<node>'],
      ]);
      writeFileSync(new URL(`./recordings/${agent.name}.jsonl`, import.meta.url), text);
    }
    return [...summary(outcome), `file: ${file}`, ...problems];
  } catch (error) {
    return [`FAILED: ${error instanceof Error ? error.message : JSON.stringify(error)}`, running.stderr().slice(-2000)];
  } finally {
    if (args.includes('--debug')) {
      for (const event of running.events) console.error(JSON.stringify(event));
      for (const request of model.requests)
        console.error('MODEL', request.method, request.path, JSON.stringify(request.body)?.slice(0, 200));
      writeFileSync(
        '/tmp/acp-last-requests.json',
        JSON.stringify(model.requests.map(({ path, body }) => ({ path, body }))),
      );
      console.error(running.noise.join('\n'), running.stderr());
    }
    await running.end();
    await model.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function summary({ agentInfo, task, permissions, commands, updates, taskText, cancelled, cancelMs }: SessionOutcome) {
  return [
    `${agentInfo?.name ?? '?'} ${agentInfo?.version ?? ''}`,
    `task: ${task.stopReason}`,
    `asked: ${permissions.map(({ toolCall }) => toolCall.kind ?? '?').join(', ')}`,
    `terminals: ${commands.length}`,
    `updates: ${[...updates].join(' ')}`,
    `says: ${taskText.replaceAll('\n', ' ').slice(-60)}`,
    `cancel: ${cancelled.stopReason} in ${Math.round(cancelMs)} ms`,
  ];
}

function tooLate(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`nothing within ${PATIENCE_MS} ms`)), PATIENCE_MS).unref();
  });
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

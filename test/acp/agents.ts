/**
 * Runs the agents that are installed in `programs`, and our own, each with a model that is a script on 127.0.0.1, and prints what they did.
 *
 *     node --conditions=@kernel/source test/acp/agents.ts [--record] [--debug] [name …]
 *
 * With `--record` the sessions become the recordings that `recordings.test.ts` plays; with `--debug` it shows what was said.
 */
/* oxlint-disable no-console */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createMessageCheck } from './lib/check-messages.ts';
import { driveSession, type SessionOutcome } from './lib/drive-session.ts';
import { OUR_AGENT } from './lib/our-agent.ts';
import { PROGRAMS, REAL_AGENTS, type RealAgent } from './lib/real-agents.ts';
import { FOLDER, formatRecording, isMessage } from './lib/recorded.ts';
import { openStage, type Stage } from './lib/stage.ts';
import { type RunningAgent, startAgent } from './lib/start-agent.ts';

const PATIENCE_MS = 60_000;

const { values, positionals } = parseArgs({
  options: { record: { type: 'boolean' }, debug: { type: 'boolean' } },
  allowPositionals: true,
});
for (const agent of [...REAL_AGENTS, OUR_AGENT]) {
  if (positionals.length > 0 && !positionals.includes(agent.name)) continue;
  const cells = existsSync(agent.file) ? [versionOf(agent), ...(await tryAgent(agent))] : [agent.name, 'not installed'];
  console.log(cells.join(' | '));
}

function versionOf({ packages }: RealAgent): string {
  const manifests = packages.map(
    (folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { name: string; version: string },
  );
  return manifests.map(({ name, version }) => `${name}@${version}`).join(' with ');
}

async function tryAgent(agent: RealAgent): Promise<readonly string[]> {
  const stage = await openStage(agent);
  const running = startAgent(stage.command);
  try {
    const outcome = await Promise.race([driveSession(running.stream, stage.folder, { mode: agent.mode }), tooLate()]);
    if (values.record === true && agent !== OUR_AGENT) record(agent, running, stage);
    const problems = running.events.filter(isMessage).flatMap(createMessageCheck());
    const file = readFileSync(join(stage.folder, 'greet.txt'), 'utf8').trim();
    return [...summary(outcome), `file: ${file}`, ...problems];
  } catch (error) {
    return [`FAILED: ${error instanceof Error ? error.message : JSON.stringify(error)}`, running.stderr().slice(-2000)];
  } finally {
    if (values.debug === true) {
      for (const event of running.events) console.error(JSON.stringify(event));
      for (const { method, path, body } of stage.server.requests)
        console.error('MODEL', method, path, JSON.stringify(body)?.slice(0, 200));
      console.error(running.noise.join('\n'), running.stderr());
    }
    await running.end();
    await stage.close();
  }
}

function record(agent: RealAgent, { events }: RunningAgent, { folder, home, root }: Stage): void {
  const text = formatRecording({ agent: versionOf(agent), events }, [
    [folder, FOLDER],
    // As in titles.
    [folder.slice(1), FOLDER],
    [home, '<home>'],
    [root, '<root>'],
    [PROGRAMS.slice(0, -1), '<programs>'],
    [process.execPath, '<node>'],
  ]);
  writeFileSync(new URL(`./recordings/agents/${agent.name}.jsonl`, import.meta.url), text);
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

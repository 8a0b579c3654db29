/**
 * Runs the agents that are installed in `programs`, and our own, each with a model that is a script on 127.0.0.1, and prints what they did.
 *
 *     node --conditions=@kernel/source test/acp/agents.ts [--record] [--debug] [--as-tool] [name …]
 *
 * With `--record` the sessions become the recordings that `recordings.test.ts` plays; with `--debug` it shows what was said. With `--as-tool` each agent is a
 * tool of one of ours, by `acpAgent`.
 */
/* oxlint-disable no-console */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runAsTool } from './lib/as-tool.ts';
import { createMessageCheck } from './lib/check-messages.ts';
import { driveSession, type SessionOutcome } from './lib/drive-session.ts';
import { OUR_AGENT } from './lib/our-agent.ts';
import { PROGRAMS, REAL_AGENTS, type RealAgent } from './lib/real-agents.ts';
import { FOLDER, formatRecording, isMessage } from './lib/recorded.ts';
import { PROMPTS } from './lib/scripted-model.ts';
import { openStage, type Stage } from './lib/stage.ts';
import { type RunningAgent, startAgent } from './lib/start-agent.ts';

const PATIENCE_MS = 60_000;

const { values, positionals } = parseArgs({
  options: { record: { type: 'boolean' }, debug: { type: 'boolean' }, 'as-tool': { type: 'boolean' } },
  allowPositionals: true,
});
for (const agent of [...REAL_AGENTS, OUR_AGENT]) {
  if (positionals.length > 0 && !positionals.includes(agent.name)) continue;
  const attempt = values['as-tool'] === true ? tryAsTool : tryAgent;
  const cells = existsSync(agent.file) ? [versionOf(agent), ...(await attempt(agent))] : [agent.name, 'not installed'];
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

async function tryAsTool(agent: RealAgent): Promise<readonly string[]> {
  const stage = await openStage(agent);
  const { program, args, variables } = stage.command;
  try {
    const tool = { command: program, args, env: variables, mode: agent.mode, folder: stage.folder };
    const { asked, text, end } = await runAsTool({ ...tool, state: join(stage.root, 'state') });
    if (values.debug === true) console.error(text, asked, end);
    const file = readFileSync(join(stage.folder, 'greet.txt'), 'utf8').trim();
    // Once the model is writing, and will for a while.
    const controller = new AbortController();
    const state = join(stage.root, 'state-2');
    const aborted = runAsTool({ ...tool, state, task: PROMPTS.long, signal: controller.signal });
    while (
      !stage.server.requests.some(({ bytes }) => Buffer.from(bytes).includes(PROMPTS.long)) &&
      agent.tools.length > 0
    )
      await setTimeout(50);
    await setTimeout(500);
    const start = performance.now();
    controller.abort();
    const { end: abortedEnd } = await aborted;
    const abortMs = Math.round(performance.now() - start);
    while ((leftovers(stage.root) > 0 || copies() > 0) && performance.now() - start < 10_000) await setTimeout(20);
    const gone = `${Math.round(performance.now() - start)} ms`;
    const questions = asked.map((call) => `${call.name} ${call.arguments.slice(0, 160)}`);
    return [
      end.reason,
      `asked: ${questions.join(', ')}`,
      `says: ${text.replaceAll('\n', ' ').slice(0, 300)}`,
      `file: ${file}`,
      `abort: ${abortedEnd.reason} in ${abortMs} ms; after ${gone} there are ${leftovers(stage.root)} processes and ${copies()} copies`,
    ];
  } finally {
    await stage.close();
  }
}

/** How many processes there are that have the home of the stage. */
function leftovers(root: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${root}/`);
    } catch {
      return false;
    }
  }).length;
}

/** How many copies of projects there are. */
function copies(): number {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('kernel-agent-')).length;
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

async function tooLate(): Promise<never> {
  await setTimeout(PATIENCE_MS, undefined, { ref: false });
  throw new Error(`nothing within ${PATIENCE_MS} ms`);
}

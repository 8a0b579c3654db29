/**
 * Has the clients that are installed in `programs` use an agent, and prints what they show.
 *
 *     node test/acp/clients.ts [--record] [--only <client>] [command [argument …]]
 *
 * Default for the command: an agent that plays a recorded session of Claude Code. With `--record` the sessions become recordings.
 */
/* oxlint-disable no-console */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createMessageCheck } from './lib/check-messages.ts';
import { PROGRAMS } from './lib/real-agents.ts';
import { REAL_CLIENTS, type RealClient } from './lib/real-clients.ts';
import { FOLDER, formatRecording, isMessage, parseRecording } from './lib/recorded.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({
  options: { record: { type: 'boolean' }, only: { type: 'string' } },
  allowPositionals: true,
});
const command =
  positionals.length > 0
    ? positionals
    : [process.execPath, here('replay-agent.ts'), here('recordings/claude-agent-acp.jsonl')];

for (const client of REAL_CLIENTS) {
  if (values.only !== undefined && client.name !== values.only) continue;
  if (existsSync(`${PROGRAMS}${client.package}/package.json`)) await tryClient(client);
  else console.log(`${client.name}: not installed`);
}

async function tryClient(client: RealClient): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'acp-client-')));
  const [home, folder, said] = ['home', 'project', 'said.jsonl'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [home, folder]) mkdirSync(each);
  writeFileSync(join(folder, 'greet.txt'), 'Hello.\n');
  writeFileSync(join(folder, 'check.sh'), 'grep -q welcome greet.txt && echo friendly\n');
  const { version } = JSON.parse(readFileSync(`${PROGRAMS}${client.package}/package.json`, 'utf8')) as {
    version: string;
  };
  const head = JSON.stringify({ agent: `${client.package}@${version}` });
  writeFileSync(said, `${head}\n`);
  const task = {
    command: [process.execPath, here('relay.ts'), said, ...command] as [string, ...string[]],
    folder,
    home,
  };
  const shown = await client.run(task).catch((error: unknown) => `FAILED: ${String(error)}`);
  const recording = parseRecording(readFileSync(said, 'utf8'));
  const problems = recording.events.filter(isMessage).flatMap(createMessageCheck());
  console.log(
    `\n=== ${client.package}@${version} (${client.name}): ${recording.events.length} messages\n${shown.trim()}`,
  );
  console.log(`greet.txt: ${readFileSync(join(folder, 'greet.txt'), 'utf8').trim()}\n${problems.join('\n')}`);
  if (values.record === true) {
    mkdirSync(here('recordings/clients'), { recursive: true });
    const text = formatRecording(recording, [
      [folder, FOLDER],
      [home, '<home>'],
      [root, '<root>'],
    ]);
    writeFileSync(here(`recordings/clients/${client.name}.jsonl`), text);
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

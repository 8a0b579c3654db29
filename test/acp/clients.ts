/**
 * Has the clients that are installed in `programs` use an agent, and prints what they show.
 *
 *     node --conditions=@kernel/source test/acp/clients.ts [--record] [--only <client>] [agent]
 *
 * The agent is one of those that `agents.ts` knows. Default: our own. With `--record` the sessions become recordings.
 */
/* oxlint-disable no-console */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createMessageCheck } from './lib/check-messages.ts';
import { OUR_AGENT } from './lib/our-agent.ts';
import { PROGRAMS, REAL_AGENTS } from './lib/real-agents.ts';
import { REAL_CLIENTS, type RealClient } from './lib/real-clients.ts';
import { FOLDER, formatRecording, isMessage, parseRecording } from './lib/recorded.ts';
import { openStage } from './lib/stage.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({
  options: { record: { type: 'boolean' }, only: { type: 'string' } },
  allowPositionals: true,
});
const agent = REAL_AGENTS.find(({ name }) => name === positionals[0]) ?? OUR_AGENT;

for (const client of REAL_CLIENTS) {
  if (values.only !== undefined && client.name !== values.only) continue;
  const version = versionOf(client);
  if (version === undefined) console.log(`${client.name}: not installed`);
  else await tryClient(client, version);
}

function versionOf({ package: name, version }: RealClient): string | undefined {
  if (name === undefined) return version?.();
  const manifest = `${PROGRAMS}${name}/package.json`;
  if (!existsSync(manifest)) return undefined;
  return `${name}@${(JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version}`;
}

async function tryClient(client: RealClient, version: string): Promise<void> {
  const stage = await openStage(agent);
  const { folder, home, root, command } = stage;
  const said = join(root, 'said.jsonl');
  writeFileSync(said, `${JSON.stringify({ agent: version })}\n`);
  const shown = await client
    .run({
      command: [process.execPath, here('relay.ts'), said, command.program, ...command.args],
      variables: command.variables,
      folder,
    })
    .catch((error: unknown) => `FAILED: ${String(error)}`);
  const recording = parseRecording(readFileSync(said, 'utf8'));
  const problems = recording.events.filter(isMessage).flatMap(createMessageCheck());
  console.log(`\n=== ${version} (${client.name}): ${recording.events.length} messages`);
  console.log(`${shown.trim()}\ngreet.txt: ${readFileSync(join(folder, 'greet.txt'), 'utf8').trim()}`);
  console.log(problems.join('\n'));
  if (values.record === true) {
    mkdirSync(here('recordings/clients'), { recursive: true });
    // What the project came to.
    const end = { wrote: join(folder, 'greet.txt'), text: readFileSync(join(folder, 'greet.txt'), 'utf8') };
    const text = formatRecording({ ...recording, events: [...recording.events, end] }, [
      [folder, FOLDER],
      [home, '<home>'],
      [root, '<root>'],
    ]);
    writeFileSync(here(`recordings/clients/${client.name}.jsonl`), text);
  }
  await stage.close();
}

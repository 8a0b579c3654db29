import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { serveHttp } from '@kernel/mcp';
import { bindTool, createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { promptHere, workspace } from './program.ts';

const SECRET = 'k3y-for-the-server';

/** Everything that the program wrote into a folder. */
function writtenIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

test('a key in the query of --tools is warned of, and is in no output, no session and no list of known tools', async () => {
  verifies('mcp.client.addressSecrets');
  const tool = {
    name: 'greet',
    description: 'Greets a person.',
    parameters: { type: 'object', properties: {} },
  } as const;
  const server = await serveHttp(createRegistry([bindTool(tool, () => 'Hello')]));
  onTestFinished(() => server.close());
  const cwd = workspace();
  const args = ['--execute', '--session', 'a', '--tools', `${server.url}?api_key=${SECRET}`];
  const outcomes = [
    await promptHere([...args, `what is 6 * 7`], { cwd }),
    await promptHere(['--session', 'a', `what is 6 * 8`], { cwd }),
    await promptHere(['tools', 'list', ...args.slice(0, 1), ...args.slice(3)], { cwd }),
    await promptHere(['sessions', 'show', 'a', '--json'], { cwd }),
  ];
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(outcomes[0]?.stderr).toContain('warning: the query of --tools can be seen by other users');
  expect(outcomes[1]?.stderr).toContain('?api_key=…');
  expect(JSON.stringify(outcomes)).not.toContain(SECRET);
  const written = writtenIn(cwd);
  // The files are too long to be shown.
  expect([written.includes('?api_key='), written.includes(SECRET)]).toEqual([true, false]);
});

import { acpAgent } from '@kernel/acp';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bash, homeWithStartUpFiles } from '../../../test/setup/start-up-files.ts';
import { AGENT, allowAll, give, NODE_ARGS, project } from './support.ts';

test('an agent that starts by bash reads no start-up files', bash.options, async () => {
  verifies('toolbox.commands.startup');
  const { wereRead } = homeWithStartUpFiles();
  const args = ['-c', 'exec "$@"', 'bash', process.execPath, ...NODE_ARGS, AGENT];
  const agent = acpAgent({ name: 'helper', command: 'bash', args, workspace: await project() });
  const { said } = await give(agent, [{ say: 'done' }], allowAll()).then(({ text }) => ({ said: text }));
  expect(said).toContain('done');
  expect(wereRead()).toBe(false);
});

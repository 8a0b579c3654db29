import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bash, homeWithStartUpFiles } from '../../../test/setup/start-up-files.ts';
import { promptHere } from './program.ts';

test('the program of --token-command reads no start-up files', bash.options, async () => {
  verifies('toolbox.commands.startup');
  const { wereRead } = homeWithStartUpFiles();
  const server = await startWireServer({ token: 'key-0123456789', replies: () => ({ text: 'ok' }) });
  const args = ['--base-url', server.baseUrl, '-m', 'm', '--token-command', "bash -c 'echo key-0123456789'", 'hi'];
  const { code } = await promptHere(args);
  await server.close();
  expect({ code, wereRead: wereRead() }).toEqual({ code: 0, wereRead: false });
});

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a shell runs it in one line', () => {
  const script = `
    const { startWireServer } = await import('@kernel/testing');
    const server = await startWireServer({ replies: () => ({ text: 'Hello' }) });
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    const reply = await (await fetch(server.baseUrl + '/chat/completions', { method: 'POST', body })).json();
    console.log(reply.choices[0].message.content);
    await server.close();`;
  const run = spawnSync(process.execPath, ['--conditions=@kernel/source', '--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(run.stdout).toBe('Hello\n');
});

import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { promptHere, workspace } from '../program.ts';

const USAGE = { inputTokens: 1_000_000, outputTokens: 100_000 };

test('a chat is a session: it is listed with its cost, and -c goes on with it, as a prompt and as a chat', async () => {
  verifies('cli.chat.session');
  const cwd = workspace();
  const texts = ['One.', 'Two.', 'Three.', 'Four.'];
  const server = await startWireServer({ replies: texts.map((text) => ({ text, usage: USAGE })) });
  const model = ['--base-url', server.baseUrl, '--model', 'm', '--price', '1,2'];
  try {
    expect((await promptHere(['chat', ...model], { cwd, input: 'first\nsecond\n' })).stdout).toBe('One.\nTwo.\n');
    const sessions = async (): Promise<readonly { readonly cost: number }[]> => {
      const { stdout } = await promptHere(['sessions', 'list', '--json'], { cwd });
      return (JSON.parse(stdout) as { sessions: readonly { readonly cost: number }[] }).sessions;
    };
    const listed = await sessions();
    expect(listed).toHaveLength(1);
    expect(listed[0]?.cost).toBeCloseTo(2.4);
    expect((await promptHere(['-c', ...model, 'third'], { cwd })).stdout).toBe('Three.\n');
    expect((await promptHere(['chat', '-c', ...model], { cwd, input: 'fourth\n' })).stdout).toBe('Four.\n');
    const { body } = server.requests.at(-1) ?? { body: { messages: [] } };
    const { messages } = body as { messages: readonly { content: unknown }[] };
    expect(messages.map(({ content }) => content)).toEqual([
      'first',
      'One.',
      'second',
      'Two.',
      'third',
      'Three.',
      'fourth',
    ]);
    const off = await promptHere(['chat', '--no-session', ...model], { cwd, input: '' });
    expect(off.code).toBe(0);
    expect(await sessions()).toHaveLength(1);
  } finally {
    await server.close();
  }
});

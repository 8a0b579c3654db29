import { type AddressInfo, createServer } from 'node:net';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type Outcome, prompt } from './program.ts';

const COUNTS = { NODE_OPTIONS: `--import=${new URL('fixtures/counts-loads.ts', import.meta.url).href}` };

interface Loaded {
  readonly files: number;
  readonly bytes: number;
  readonly parts: readonly string[];
}

function loadedBy({ stderr }: Outcome): Loaded {
  return JSON.parse(/^loaded: (.*)$/m.exec(stderr)?.[1] ?? 'null') as Loaded;
}

/** The address of a port of this machine at which nobody listens. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

// What a start costs grows with what it loads. Raise a limit only for what each start needs.
test.each([
  [['--version'], { files: 5, bytes: 68_500 }],
  [['--help'], { files: 4, bytes: 66_700 }],
  [['2+2'], { files: 21, bytes: 1_000_000 }],
])('%j loads few files, and nothing of HTTP or cryptography', async (args, most) => {
  verifies('cli.start.loads');
  const env = { ...COUNTS, PROMPT_AGENT_SERVERS: await closedPort() };
  const outcome = await prompt(args, { env });
  expect(outcome.code).toBe(0);
  const { bytes, files, parts } = loadedBy(outcome);
  expect(parts).toEqual([]);
  expect({ files: Math.max(files, most.files), bytes: Math.max(bytes, most.bytes) }).toEqual(most);
});

test('a question to a model loads one HTTP client', async () => {
  verifies('cli.start.loads');
  const server = await startWireServer({ replies: () => ({ text: 'local' }) });
  try {
    const outcome = await prompt(['--base-url', server.baseUrl, '--model', 'm', 'hi'], { env: COUNTS });
    expect(outcome.stdout).toBe('local\n');
    const { files, parts } = loadedBy(outcome);
    // Node's own client is another one.
    expect(parts).not.toContain('internal/deps/undici/undici');
    expect(files).toBeLessThan(36);
  } finally {
    await server.close();
  }
});

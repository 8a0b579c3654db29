import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLIENT = fileURLToPath(new URL('fixture/client.ts', import.meta.url));
const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/** How one scenario of the conformance suite ended. */
export interface ScenarioOutcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
}

/**
 * Runs the core scenarios for clients of `@modelcontextprotocol/conformance` against `fixture/client.ts`, at the same time as the suite does.
 * Resolves with their outcomes and all that the suite printed.
 */
export async function runClientSuite(): Promise<{
  readonly outcomes: readonly ScenarioOutcome[];
  readonly output: string;
}> {
  const command = `${process.execPath} ${CLIENT}`;
  const child = spawn(
    process.execPath,
    [PROGRAM, 'client', '--suite', 'core', '--verbose', '--timeout', '60000', '--command', command],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  const lines = output.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?/gmu);
  const outcomes = [...lines].map(([, name = '', passed, failed, warnings = '0']) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
    warnings: Number(warnings),
  }));
  return { outcomes, output };
}

if (import.meta.main) {
  const { outcomes, output } = await runClientSuite();
  console.log(output.slice(output.indexOf('=== SUITE SUMMARY')));
  process.exitCode = outcomes.length > 0 && outcomes.every(({ failed, warnings }) => failed + warnings === 0) ? 0 : 1;
}

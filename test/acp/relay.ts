/**
 * Stands between a client and an agent, and keeps what each says: `node test/acp/relay.ts <file> <command> [argument …]`. A client that takes the command of an agent takes this one.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Side } from './lib/recorded.ts';

const [file = '', program = '', ...args] = process.argv.slice(2);
// The client named the program that it wants.
const agent = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
agent.stdin.on('error', () => {});

function pass(from: Side, line: string): void {
  appendFileSync(file, `${JSON.stringify({ from, message: JSON.parse(line) as unknown })}\n`);
  (from === 'agent' ? process.stdout : agent.stdin).write(`${line}\n`);
}

createInterface({ input: process.stdin })
  .on('line', (line) => pass('client', line))
  .on('close', () => agent.stdin.end());
createInterface({ input: agent.stdout }).on('line', (line) => pass('agent', line));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => agent.kill(signal));
agent.on('exit', (code) => {
  process.exitCode = code ?? 1;
  process.stdin.destroy();
});

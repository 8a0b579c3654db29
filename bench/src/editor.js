// What an answer costs in an editor: CPU of `prompt-agent acp` from `initialize` to the first streamed word, beside the same answer of the program in a terminal, from its
// start. Both have the same tools, and start a process each time. Interleaved rounds; medians. Linux only: CPU is that of /proc.
// And how long a turn takes to end that is cancelled while its reply, which never ends, is streamed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { median } from './measure.js';
import { packages } from './ours.js';

const ROUNDS = 15;
const MOST = 1.2;
const MOST_CANCEL_MS = 50;
const TICK_MS = 10;
const CLI = fileURLToPath(new URL('../../apps/prompt-agent/dist/cli.js', import.meta.url));

const { testing } = await packages('testing');
const server = await testing.startWireServer({
  replies: ({ body }) =>
    JSON.stringify(body).includes('for ever')
      ? { text: 'word '.repeat(5000), fault: { stallAfter: 10_000 } }
      : { text: 'Hello, here I am.' },
});
const model = ['--base-url', server.baseUrl, '--model', 'm'];
const folder = mkdtempSync(join(tmpdir(), 'bench-editor-'));
const env = { PATH: process.env.PATH, HOME: folder, PROMPT_AGENT_SERVERS: '' };

function start(args, stdin) {
  return spawn(process.execPath, [CLI, ...args, ...model], { cwd: folder, env, stdio: [stdin, 'pipe', 'ignore'] });
}

/** The CPU time of a process so far: its own and the system's for it. */
function cpuOf({ pid }) {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?!.*\) )/);
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * TICK_MS;
}

async function inTerminal() {
  const child = start(['--bundle', 'code_agent', '--stream', 'hi'], 'ignore');
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const whole = cpuOf(child);
  child.kill('SIGKILL');
  return { whole };
}

async function inEditor() {
  const child = start(['acp'], 'pipe');
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const lines = createInterface({ input: child.stdout });
  const answered = (isIt) =>
    new Promise((resolve) => {
      const look = (line) => {
        const message = JSON.parse(line);
        if (!isIt(message)) return;
        lines.off('line', look);
        resolve(message);
      };
      lines.on('line', look);
    });
  const request = (id, method, params) => {
    const answer = answered((message) => message.id === id);
    send({ id, method, params });
    return answer;
  };
  // It has loaded what it loads before anything is asked once it answers.
  await request(0, 'nothing', {});
  const before = cpuOf(child);
  await request(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { result } = await request(2, 'session/new', { cwd: folder, mcpServers: [] });
  const isWord = ({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk';
  const prompt = (id, text) =>
    request(id, 'session/prompt', { sessionId: result.sessionId, prompt: [{ type: 'text', text }] });
  const word = answered(isWord);
  const turn = prompt(3, 'hi');
  await word;
  const whole = cpuOf(child);
  await turn;
  const firstOfMany = answered(isWord);
  const long = prompt(4, 'for ever');
  await firstOfMany;
  const cancelledAt = performance.now();
  send({ method: 'session/cancel', params: { sessionId: result.sessionId } });
  const { result: end } = await long;
  const cancelMs = end.stopReason === 'cancelled' ? performance.now() - cancelledAt : Infinity;
  child.kill('SIGKILL');
  return { whole, fromInitialize: whole - before, cancelMs };
}

const terminal = [];
const editor = [];
for (let round = 0; round < ROUNDS; round += 1) {
  terminal.push(await inTerminal());
  editor.push(await inEditor());
}
await server.close();
rmSync(folder, { recursive: true, force: true });

const base = median(terminal.map(({ whole }) => whole));
const from = median(editor.map(({ fromInitialize }) => fromInitialize));
const whole = median(editor.map((each) => each.whole));
console.log(`in a terminal        ${base.toFixed(0)} ms CPU until the first word`);
console.log(`from initialize      ${from.toFixed(0)} ms, ${(from / base).toFixed(2)} × (at most ${MOST})`);
console.log(`with the start of it ${whole.toFixed(0)} ms, ${(whole / base).toFixed(2)} ×`);
const cancelMs = median(editor.map((each) => each.cancelMs));
const slowest = Math.max(...editor.map((each) => each.cancelMs));
console.log(
  `cancelled in         ${cancelMs.toFixed(1)} ms, at most ${slowest.toFixed(1)} (at most ${MOST_CANCEL_MS})`,
);
if (from / base > MOST || slowest > MOST_CANCEL_MS) process.exitCode = 1;

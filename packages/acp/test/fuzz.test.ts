import { join } from 'node:path';
import { acpAgent } from '@kernel/acp';
import { verifies } from '@kernel/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { commands, copies, deciding, give, project } from './support.ts';

const ROUNDS = 12;
const MESSAGES = 60;

afterEach(() => {
  if (copies().length > 0) throw new Error('A copy was left behind.');
});

/** Numbers from a seed (mulberry32), so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = [
  'tool_call tool_call_update agent_message_chunk agent_thought_chunk plan usage_update made_up s sessionId',
  'session/update session/request_permission fs/read_text_file fs/write_text_file terminal/create terminal/output',
  'terminal/kill $/cancel_request elicitation/create execute edit read think a.txt ../x /etc/passwd text diff content',
  'completed failed pending __proto__ constructor allow_once reject_once terminal-1 1 \u001B[2J \u0000 \uD800 \u202E',
].flatMap((line) => line.split(' '));
const KEYS =
  'sessionId update sessionUpdate toolCallId toolCall options optionId kind name title status rawInput rawOutput content locations path command args env cwd entries used size type text terminalId requestId newText line limit outputByteLimit __proto__'.split(
    ' ',
  );

/** Makes lines that an agent could write: well-formed messages, messages with parts that are wrong, and lines that are none. */
function linesOf(seed: number): readonly string[] {
  const random = randomOf(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const valueOf = (depth: number): unknown => {
    const kind = random();
    if (kind < 0.4) return pick(WORDS);
    if (kind < 0.5) return pick<unknown>([0, -1, 1.5, 2 ** 53, null, true, '', 'x'.repeat(2000)]);
    if (depth > 3) return pick(WORDS);
    if (kind < 0.65) return Array.from({ length: Math.floor(random() * 4) }, () => valueOf(depth + 1));
    return objectOf(depth + 1);
  };
  const objectOf = (depth: number): object =>
    Object.fromEntries(Array.from({ length: Math.floor(random() * 6) }, () => [pick(KEYS), valueOf(depth)]));
  const updateOf = () => ({ sessionUpdate: pick(WORDS.slice(0, 7)), toolCallId: pick(WORDS), ...objectOf(1) });
  const method = (): string => pick(WORDS.filter((word) => word.includes('/')));
  return Array.from({ length: MESSAGES }, (_, at) => {
    const kind = random();
    if (kind < 0.1) return pick(['', '{', '[]', 'null', '{"jsonrpc":"2.0"}', '\u0000', 'not JSON']);
    const params =
      kind < 0.6 ? { sessionId: 's', update: updateOf() } : { sessionId: pick(['s', 's', 's', 't']), ...objectOf(0) };
    const isUpdate = kind < 0.6;
    return JSON.stringify({
      jsonrpc: '2.0',
      method: isUpdate ? 'session/update' : method(),
      params: random() < 0.05 ? valueOf(0) : params,
      ...(!isUpdate && { id: random() < 0.05 ? 1 : `r${at}` }),
    });
  });
}

/** An agent that writes the lines of a file within its turn, and then ends it. */
const AGENT = `
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') send({ id, result: { protocolVersion: 1 } });
    if (method === 'session/new') send({ id, result: { sessionId: 's' } });
    if (method !== 'session/prompt') return;
    process.stdout.write(require('node:fs').readFileSync(process.argv[1], 'utf8'));
    setTimeout(() => send({ id, result: { stopReason: 'end_turn' } }), 30);
  });
`;

/** The words that commands are made of may be names of programs here. */
const allowAllButCommands: Parameters<typeof deciding>[0] = ({ name }) =>
  name === 'run_command' ? { decision: 'deny', reason: 'No.' } : { decision: 'allow' };

test('whatever an agent writes, its call ends with a result, nothing of ours is written to, and nothing is left', async () => {
  verifies('acp.hostile');
  const complaints = vi.spyOn(console, 'error');
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const workspace = await project({ 'a.txt': 'one\n' });
    const file = join(temporaryFolder('acp-fuzz', { lines: `${linesOf(seed).join('\n')}\n` }), 'lines');
    const agent = acpAgent({
      command: process.execPath,
      args: ['-e', AGENT, file],
      name: 'fuzz',
      workspace,
      commands,
      limits: { silenceMs: 5000, startMs: 20_000 },
    });
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { end, result } = await give(agent, [], deciding(allowAllButCommands));
    expect([seed, end.reason]).toEqual([seed, 'done']);
    expect(typeof result?.forLLM).toBe('string');
    expect(result?.forLLM).not.toMatch(/TypeError|RangeError|is not a function|Cannot read|undefined/);
  }
  expect(complaints.mock.calls).toEqual([]);
  complaints.mockRestore();
});

/** The model servers of the soak test, in a separate process: one for each wire, which replies as the prompt asks. */
import { type RawReply, startWireServer, type WireName, type WireReply } from '@kernel/testing';

const WIRE_NAMES: readonly WireName[] = ['openai', 'openai-responses', 'anthropic', 'gemini', 'ollama', 'bedrock'];
/** After how many bytes of a body a fault happens: at the start, within an event, in the middle, near the end. */
const OFFSETS = [0, 1, 60, 200, 400];

const servers = await Promise.all(
  WIRE_NAMES.map((wire) =>
    startWireServer({ wire, keepRequests: 1, replies: ({ bytes }) => replyTo(Buffer.from(bytes).toString('utf8')) }),
  ),
);
process.on('message', () => {
  process.send?.({ open: servers.reduce((sum, { connections }) => sum + connections.open, 0) });
});
process.on('disconnect', () => process.exit(0));
process.send?.(WIRE_NAMES.map((wire, at) => [wire, servers[at]?.baseUrl]));

/** `Ask for <kind> <number>.` in the prompt selects the reply; each tool result contains `RESULT` once. */
function replyTo(body: string): WireReply | RawReply {
  const [, kind = 'plain', number = '0'] = /Ask for (\w+) (\d+)\./.exec(body) ?? [];
  const results = body.split('RESULT').length - 1;
  const helped = body.includes('Done after 3.');
  const at = OFFSETS[Number(number) % OFFSETS.length] ?? 0;
  const usage = { inputTokens: 100, outputTokens: 10 };
  const look = { name: 'look', arguments: { at: results } };
  if (kind === 'cut') return { text: 'A text that is cut.', calls: [look], fault: { cutAfter: at } };
  if (kind === 'reset') return { text: 'A text that is cut.', calls: [look], fault: { resetAfter: at } };
  if (kind === 'stall') return { text: 'A text that stalls.', calls: [look], fault: { stallAfter: at } };
  if (kind === 'refused') return { status: 400, chunks: ['{"error":{"message":"no"}}'] };
  if (kind === 'garbage') return { chunks: ['{"never', 'data: ]\n\n'] };
  if (results >= 3) return { text: `Done after ${results}.`, usage, pieces: 8 };
  if (kind === 'parallel')
    return { calls: Array.from({ length: 8 }, (_, index) => ({ name: 'look', arguments: { at: index } })), usage };
  if (kind === 'broken') return { calls: [{ name: 'look', arguments: '{"at":"one"}' }, { name: 'throws' }], usage };
  if (kind === 'hangs') return { calls: [{ name: 'hangs' }], usage };
  if (kind === 'asks') return { calls: [{ name: 'asks' }], usage };
  if (kind === 'agent' && helped) return { text: 'It helped.', usage };
  if (kind === 'agent') return { calls: [{ name: 'helper', arguments: { task: `Ask for plain ${number}.` } }], usage };
  return { reasoning: 'Let me look.', text: 'I look.', calls: [look], usage, pieces: 4 };
}

import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { allowAll, commands, fileOf, give, permission, project, scripted } from './support.ts';

const SECRET = 'k-secret-value-123';
const env = { KEY: SECRET };

test('values of env are in nothing that leaves: text, thoughts, calls, requests, plans, commands and results', async () => {
  verifies('acp.secrets');
  const update = (fields: object) => ({ update: fields as Readonly<Record<string, unknown>> });
  const steps = [
    { say: 'my key is k-sec' },
    { say: 'ret-value-123, yes' },
    { think: SECRET },
    update({ sessionUpdate: 'plan', entries: [{ content: SECRET, status: 'pending', priority: 'low' }] }),
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: SECRET,
      status: 'completed',
      kind: 'read',
      rawInput: { key: SECRET },
      content: [{ type: 'content', content: { type: 'text', text: SECRET } }],
    }),
    permission({ kind: 'execute', rawInput: `curl -H ${SECRET}` }),
    permission({ kind: 'other', title: SECRET }),
    {
      terminal: {
        command: 'sh',
        args: ['-c', `echo "$X-${SECRET}" | wc -c; echo ${SECRET}`],
        env: [{ name: 'X', value: SECRET }],
      },
    },
    { disk: { 'a.txt': `${SECRET}\n`, 'b.txt': 'fine\n' } },
  ];
  const workspace = await project({ 'a.txt': 'one\n' });
  const outcome = await give(scripted({ workspace, commands, env }), steps, allowAll());
  // The task holds it, as the model of this test wrote it: what comes of it does not.
  const left = outcome.events.flatMap((event): readonly unknown[] => {
    if (event.type === 'tool-end') return [event.result];
    if (event.type === 'tool-progress') return [event];
    return event.type === 'sub-agent-event' && event.event.type !== 'run-end' ? [event] : [];
  });
  expect(left.length).toBeGreaterThan(20);
  expect(left.filter((event) => JSON.stringify(event).includes(SECRET))).toEqual([]);
  const said = outcome.inner.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
  expect(said).toContain('my key is [redacted], yes');
  // The command itself had the value.
  expect(said).toContain('38');
  expect(outcome.text).toContain('holds a value that was given to the agent in env: "a.txt".');
  expect([fileOf(workspace, 'a.txt'), fileOf(workspace, 'b.txt')]).toEqual(['one\n', 'fine\n']);
});

test('values of env are not in the errors that an agent reports', async () => {
  verifies('acp.secrets');
  const { result } = await give(
    scripted({ workspace: await project(), env }),
    [{ fail: `401 for ${SECRET}` }],
    allowAll(),
  );
  expect(result?.forLLM).toContain('reports: 401 for [redacted].');
  expect(JSON.stringify(result)).not.toContain(SECRET);
});

// An async tool returns at once and reports its outcome later; the run adds it before the next model call.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { collect, run, withAsyncPolicy } from '@kernel/agent';
import { asyncResult, textOf, toolResult } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const build = defineTool({
  name: 'build',
  description: 'Builds the project in the background.',
  effect: 'idempotent',
  input: z.object({}),
  handler: (_input, { onComplete }) => {
    void pause(5).then(() => onComplete?.(toolResult('The build passed.')));
    return asyncResult('The build has begun.');
  },
});
const script = () =>
  scriptedProvider([{ calls: [{ name: 'build' }] }, { text: 'It has begun.', delayMs: 30 }, { text: 'It passed.' }]);
const messages = [{ role: 'user', content: 'Build it.' }] as const;
const base = { model: 'any-model', messages };

const injected = await collect(run({ ...base, provider: script(), tools: createRegistry([build]) }));
console.log(injected.messages.map(textOf).join('\n'));
assert.equal(injected.reason === 'done' && injected.answer, 'It passed.');

// Or the call waits for the outcome, within a timeout.
const waiting = withAsyncPolicy(createRegistry([build]), { mode: 'await', timeoutMs: 1000 });
const awaited = await collect(run({ ...base, provider: script(), tools: waiting }));
assert.equal(awaited.toolCalls[0]?.result.forLLM, 'The build passed.');

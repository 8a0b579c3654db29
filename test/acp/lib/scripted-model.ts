import { tmpdir } from 'node:os';
import type { RawReply, RecordedRequest, WireReply, WireScript } from '@kernel/testing';

/** What the model of an agent does with the task, in the terms of the agent's own tools: a reply for each request. */
export type TaskScript = readonly WireReply[];

/** The prompts of a session. */
export const PROMPTS = {
  /** The model works through its script. */
  task: 'TASK-ONE: make the greeting of greet.txt friendlier and run the check.',
  /** The model writes for longer than anybody waits, until it is cancelled. */
  long: 'TASK-TWO: tell me everything about greetings.',
} as const;

/** What the model says at the end of the task. */
export const LAST_WORDS = 'The greeting is friendlier now.';

/** How the results of calls are named in the requests of each wire. */
const RESULT =
  /"type":"function_call_output"|"type":"custom_tool_call_output"|"tool_use_id":|"functionResponse":|"role":"tool"/g;

const SLOW: WireReply = { text: 'Greetings are old. '.repeat(100), pieces: 300, fault: { delayMs: 100 } };

/** The copies in which `acpAgent` has agents work, not what agents keep elsewhere under their names. */
const COPY = new RegExp(`(?:(?<![\\w./-])|(?<=\\\\n))${tmpdir()}/kernel-agent-\\w+`);

/**
 * Plays a script: how far the task is shows in the results of the request, and where the agent works in what it says of that. What else an agent asks a model, such as
 * for a title, gets one word.
 */
export function scriptedModel(
  script: (folder: string) => TaskScript,
  toolNames: readonly string[],
  folder: string,
): WireScript {
  return (request: RecordedRequest): WireReply | RawReply => {
    if (request.method === 'GET' || request.method === 'HEAD')
      return { headers: { 'content-type': 'application/json' }, chunks: ['{"object":"list","data":[],"models":[]}'] };
    const text = JSON.stringify(request.body) ?? '';
    const offersTools = toolNames.every((name) => text.includes(`"name":"${name}"`));
    if (!offersTools) return { text: 'Greetings', usage: { inputTokens: 20, outputTokens: 1 } };
    if (text.includes(PROMPTS.long)) return SLOW;
    const done = text.match(RESULT)?.length ?? 0;
    const reply = script(COPY.exec(text)?.[0] ?? folder)[done] ?? { text: 'There is nothing left to do.' };
    const calls = reply.calls?.map((call) => ({ ...call, id: `call_${done + 1}` }));
    return { ...reply, calls, usage: { inputTokens: 1000 + 100 * done, outputTokens: 50 } };
  };
}

import { run, runSession } from '@kernel/agent';
import type { RunEnd, ToolCall, Usage } from '@kernel/protocol';
import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { ShowRun } from '../../chat/conversation.ts';
import { redactEvents } from '../../output/redact-events.ts';
import { exitCodeOfRun } from '../../run-ends.ts';
import type { FileChanges } from './file-changes.ts';
import { createTurnView, type SendUpdate } from './show-turn.ts';
import { createToolCalls, type ToolCalls } from './tool-calls.ts';
import { watchChanges } from './watch-changes.ts';

interface ShowRunOptions {
  readonly send: SendUpdate;
  readonly notify: (update: SessionUpdate) => void;
  readonly folder: string;
  readonly changesOf: (call: ToolCall, signal: AbortSignal) => Promise<FileChanges>;
  /** Gets the calls of a run as they are shown, and undefined at its end. */
  readonly onCalls: (calls: ToolCalls | undefined) => void;
  /** Gets what each reply of the model used, where the vendor says so. */
  readonly onReply: (usage: Usage | undefined) => void;
  readonly onEnd: (end: RunEnd) => void;
}

/** Shows runs in an editor, in place of a terminal. */
export function showRunInEditor({ send, notify, folder, changesOf, onCalls, onReply, onEnd }: ShowRunOptions): ShowRun {
  return async ({ options }, { messages, session, record }, { secret, host }) => {
    const { tools, approve } = options;
    const toolOf = (name: string) => tools?.list().find((tool) => tool.name === name);
    const calls = createToolCalls({ send: notify, folder, toolOf });
    const view = createTurnView(send, calls);
    const watch = watchChanges({ calls, folder, changesOf });
    const all = {
      ...options,
      tools: tools && watch.tools(tools),
      approve: approve && watch.approve(approve),
      messages,
    };
    let end: RunEnd | undefined;
    onCalls(calls);
    try {
      const events = session === undefined ? run(all) : runSession({ ...all, session });
      for await (const event of redactEvents(events, secret)) {
        record?.(event);
        if (event.type === 'message-end') onReply(event.usage);
        if (event.type === 'run-end') end = event;
        else await view(event);
      }
    } finally {
      calls.failUnfinished('The turn has ended.');
      onCalls(undefined);
    }
    if (end === undefined) throw new Error('The run ended without a run-end.');
    onEnd(end);
    return exitCodeOfRun(end, host.signal);
  };
}

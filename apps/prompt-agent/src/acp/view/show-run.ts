import { run, runSession } from '@kernel/agent';
import { type RunEnd, type ToolCall, type Usage, wrapToolset } from '@kernel/protocol';
import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { ShowRun } from '../../chat/conversation.ts';
import { redactEvents } from '../../output/redact-events.ts';
import { exitCodeOfRun } from '../../run-ends.ts';
import { type FileChanges, isWriting, NO_CHANGES } from './file-changes.ts';
import { createTurnView, type SendUpdate } from './show-turn.ts';
import { callIdOf, createToolCalls, type ToolCalls } from './tool-calls.ts';

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
    const { tools } = options;
    const toolOf = (name: string) => tools?.list().find((tool) => tool.name === name);
    const calls = createToolCalls({ send: notify, folder, toolOf });
    const view = createTurnView(send, calls);
    const watched =
      tools &&
      wrapToolset(tools, {
        async call(call, context) {
          // Before it runs: afterwards nobody knows what there was.
          if (isWriting(call.name)) {
            const { files } = await changesOf(call, context.signal).catch(() => NO_CHANGES);
            calls.setChanges(callIdOf([], call.id), files);
          }
          return tools.call(call, context);
        },
      });
    const all = { ...options, tools: watched, messages };
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

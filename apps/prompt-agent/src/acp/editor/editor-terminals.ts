import { isObject } from '@kernel/internal';
import type { Terminals } from '@kernel/toolbox/commands';
import { callIdOf } from '../view/tool-calls.ts';
import type { EditorConnection, EditorContext } from './editor-connection.ts';

/** The terminals of an editor that has some; undefined otherwise. The terminal of a call is shown in place of its output. */
export function editorTerminals({
  client,
  capabilities,
  sessionId,
  calls,
}: EditorConnection & Pick<EditorContext, 'calls'>): Terminals | undefined {
  if (capabilities.terminal !== true) return undefined;
  // What `acpAgent` says of itself: another agent that has this one as its tool.
  const { _meta: meta } = capabilities;
  const kernel = meta?.['kernel'];
  return {
    decidesOnCommands: isObject(kernel) && kernel['decidesOnCommands'] === true,
    async start({ program, args, cwd, variables, maxOutputBytes }, { callId, signal }) {
      const terminal = await client.createTerminal(
        {
          sessionId,
          command: program,
          args: [...args],
          cwd,
          env: Object.entries(variables).map(([name, value]) => ({ name, value })),
          outputByteLimit: maxOutputBytes,
        },
        { cancellationSignal: signal },
      );
      if (callId !== undefined) calls()?.showTerminal(callIdOf([], callId), terminal.id);
      return {
        async output() {
          const { output: text, truncated } = await terminal.currentOutput();
          return { text, isTruncated: truncated };
        },
        ended: terminal.waitForExit(),
        kill: async () => void (await terminal.kill()),
        release: async () => void (await terminal.release()),
      };
    },
  };
}

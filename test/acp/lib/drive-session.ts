import type {
  InitializeResponse,
  PermissionOptionKind,
  PromptResponse,
  Stream,
} from '@agentclientprotocol/sdk/unstable';
import { editorClient, type SeenByEditor } from './editor-client.ts';
import { PROMPTS } from './scripted-model.ts';

/** What an agent did in a session. */
export interface SessionOutcome extends SeenByEditor {
  readonly agentInfo: InitializeResponse['agentInfo'];
  /** How the task ended. */
  readonly task: PromptResponse;
  /** What it wrote for the task. */
  readonly taskText: string;
  /** How the prompt ended that was cancelled. */
  readonly cancelled: PromptResponse;
  /** How long that took. */
  readonly cancelMs: number;
}

/** How a session is driven. */
export interface SessionOptions {
  /** The mode to set first. */
  readonly mode?: string | undefined;
  /** What every question is answered with. Default `allow_once`. */
  readonly permission?: PermissionOptionKind;
}

/** Has a session over a connection by the SDK's own client: the task, then a prompt that is cancelled at its first word. */
export async function driveSession(
  stream: Stream,
  cwd: string,
  { mode, permission = 'allow_once' }: SessionOptions = {},
): Promise<SessionOutcome> {
  const seen: SeenByEditor = { text: '', permissions: [], updates: new Set(), commands: [] };
  let onText = (): void => {};
  return await editorClient(seen, { permission: () => permission, onText: () => onText() }).connectWith(
    stream,
    async (agent) => {
      const { agentInfo } = await agent.request<InitializeResponse>('initialize', {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
        clientInfo: { name: 'editor', version: '1.0.0' },
      });
      const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
      if (mode !== undefined) await agent.request('session/set_mode', { sessionId, modeId: mode });
      const prompt = (text: string) => agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
      const task = await prompt(PROMPTS.task);
      const taskText = seen.text;
      const written = new Promise<void>((resolve) => {
        onText = resolve;
      });
      const long = prompt(PROMPTS.long);
      await Promise.race([written, long]);
      const start = performance.now();
      await agent.notify('session/cancel', { sessionId });
      const cancelled = await long;
      return { ...seen, agentInfo, task, taskText, cancelled, cancelMs: performance.now() - start };
    },
  );
}

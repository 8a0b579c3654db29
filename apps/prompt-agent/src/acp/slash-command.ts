import type { ChatContext } from '../chat/chat-context.ts';
import { handleMessage } from '../chat/slash-commands.ts';
import { commandsOf } from './session-options.ts';
import { codeBlock } from './view/text-content.ts';

/**
 * Runs a command of the chat, and resolves to what it says, as Markdown; empty where it says nothing. `capture` resolves to the lines that are said while something works.
 * What is about keys and terminals is told otherwise.
 */
export async function runSlashCommand(
  text: string,
  context: ChatContext,
  capture: (work: () => Promise<unknown>) => Promise<readonly string[]>,
): Promise<string> {
  const said = (await ofEditor(text, context)) ?? (await capture(() => handleMessage(text, context)));
  const lines = said.flatMap((each) => each.replace(/^prompt-agent: /, '').split('\n'));
  // Editors show Markdown, where the lines of a table would be one paragraph.
  return lines.length > 1 ? codeBlock(lines) : lines.join('');
}

async function ofEditor(text: string, { agent, signal }: ChatContext): Promise<readonly string[] | undefined> {
  const [name] = text.split(/\s/, 1);
  if (name === '/exit') return ['A session is closed in the editor.'];
  if (name !== '/help') return undefined;
  const commands = commandsOf(await agent.prompts(signal)).map(({ description, input, ...each }) => ({
    usage: `/${each.name} ${input?.hint ?? ''}`,
    description,
  }));
  const width = Math.min(32, Math.max(...commands.map(({ usage }) => usage.length)));
  return commands.map(({ usage, description }) => `${usage.padEnd(width)} ${description}`);
}

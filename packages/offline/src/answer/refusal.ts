import { truncate } from '@kernel/internal';
import { KernelError, type Tool } from '@kernel/protocol';
import type { ToolPhrase } from '../phrases/compile-phrase.ts';
import type { Plan } from '../planning/plan-calls.ts';
import type { Ask } from '../planning/read-ask.ts';

const HOW_TO_GET_A_MODEL =
  'For anything else use a model: set a vendor’s key in the environment (such as OPENAI_API_KEY or ANTHROPIC_API_KEY), or start a local model server such as Ollama.';

/** The error for a prompt that no tool on offer fits. It says what offline is, what it can do here, and how to get a model. */
export function refusal(
  { prompt, material }: Ask,
  tools: readonly Tool[],
  phrasesOf: (tool: Tool) => readonly ToolPhrase[],
  { calls, negation, unmatched }: Plan,
): KernelError {
  // Of a prompt of which a part fits, the other part is the reason.
  const asked = truncate(calls.length > 0 ? unmatched : prompt, 80);
  const problem =
    negation === undefined
      ? `no tool on offer that only reads fits "${asked}"${material === undefined ? '' : ', asked of what came with it'}`
      : `it does not understand "${negation}" in "${asked}", which may change what you ask for`;
  return new KernelError('PROVIDER_REFUSED', `Offline can't do this: it has no language model, and ${problem}.`, {
    hint: `${abilities(tools, phrasesOf)}${HOW_TO_GET_A_MODEL}`,
    data: { provider: 'offline', tools: tools.map(({ name }) => name) },
  });
}

function abilities(tools: readonly Tool[], phrasesOf: (tool: Tool) => readonly ToolPhrase[]): string {
  if (tools.length === 0) return 'It works only with tools, and none is offered. ';
  const lines = tools.slice(0, 12).map((tool) => {
    const example = tool.metadata?.examples?.[0]?.description ?? phrasesOf(tool).find((each) => each.example)?.example;
    const sentence = tool.description.split(/(?<=[.!?])\s/)[0] ?? '';
    return `\n  ${tool.name}: ${sentence}${example === undefined ? '' : ` Try: "${example}"`}`;
  });
  const more = tools.length > lines.length ? `\n  … and ${tools.length - lines.length} more` : '';
  return `It can use these tools:${lines.join('')}${more}\n`;
}

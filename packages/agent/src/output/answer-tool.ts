import { errorMessage } from '@kernel/internal';
import {
  errorResult,
  KernelError,
  type JsonSchema,
  type Tool,
  type ToolCall,
  toErrorResult,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';
import { hookStop } from '../loop/run-end.ts';
import { withAddedTools } from '../wrappers/with-added-tools.ts';
import type { AnswerReader } from './answer-reader.ts';
import type { ReadOutput } from './compile-output.ts';

const NAME = 'final_answer';

export type AnswerTool = ReturnType<typeof withAnswerTool>;

/**
 * Adds a tool that takes the answer, under a name that the toolset does not have. Calling it ends the run with the JSON
 * of the answer if the other calls of the reply succeed, or with `CONFIG_INVALID` if a check fails.
 */
export function withAnswerTool(inner: Toolset | undefined, schema: JsonSchema, reader: AnswerReader) {
  const tool = createTool(freeName(inner?.list() ?? []), schema);
  const { tools, without } = withAddedTools(inner, [tool], (call) => takeAnswer(reader, call));
  return {
    tool,
    tools,
    withoutAnswer: without,
    /** Throws `CONFIG_INVALID` if a tool has taken the name since the run began: a call of that name could mean either of them. */
    checkName(offered: readonly Tool[]): void {
      if (offered.some((other) => other.name === tool.name && other !== tool)) throw nameTaken(tool.name);
    },
  };
}

function nameTaken(name: string): KernelError {
  const message = `A tool "${name}" was added during the run, whose tool for the typed answer has that name.`;
  return new KernelError('CONFIG_INVALID', message, {
    hint: 'Add it before the run starts, and the answer gets another name; or give it another one.',
  });
}

async function takeAnswer(reader: AnswerReader, { name, arguments: text }: ToolCall): Promise<ToolResult> {
  let read: ReadOutput;
  try {
    read = await reader.read(text);
  } catch (error) {
    return errorResult(errorMessage(error), error);
  }
  if ('issues' in read) {
    const error = new KernelError('ARGUMENTS_INVALID', `The answer does not fit: ${read.issues.join('; ')}.`, {
      hint: `Call "${name}" again with a corrected answer.`,
    });
    return toErrorResult(error);
  }
  return { forLLM: 'The answer was received.', silent: true, error: hookStop(read.answer) };
}

function createTool(name: string, parameters: JsonSchema): Tool {
  return Object.freeze({
    name,
    description: 'Gives the final answer. Call it once, alone, as soon as everything that the answer needs is known.',
    parameters,
    effect: 'read',
  });
}

function freeName(tools: readonly Tool[]): string {
  const taken = new Set(tools.map((tool) => tool.name));
  let name = NAME;
  for (let number = 2; taken.has(name); number += 1) name = `${NAME}_${number}`;
  return name;
}

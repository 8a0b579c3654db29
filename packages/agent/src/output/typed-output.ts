import {
  type AgentEvent,
  type Message,
  type Provider,
  type ProviderRequest,
  type StructuredOutput,
  type Tool,
  type ToolChoice,
  type Toolset,
  type Emit,
} from '@kernel/protocol';
import { type AnswerReader, createAnswerReader } from './answer-reader.ts';
import { type AnswerTool, withAnswerTool } from './answer-tool.ts';
import { type CompiledOutput, compileOutput } from './compile-output.ts';
import type { OutputSchema } from './output-schema.ts';
import { createPartialJson } from './partial-json.ts';

/** How the answer of one turn is asked for: as the format of the reply, by a tool, or by instructions. */
export type OutputMode = 'schema' | 'tool-call' | 'text';

/** What a turn asks for. */
export interface OutputRequest {
  /** How the answer is asked for. */
  readonly mode: OutputMode;
  /** The tools on offer, with or without the one that takes the answer. */
  readonly tools: readonly Tool[];
  /** What the request says besides. */
  readonly fields: Pick<ProviderRequest, 'responseFormat' | 'toolChoice'>;
  /** Adds instructions to the messages, where they are needed. */
  messages(messages: readonly Message[]): readonly Message[];
}

/** The typed answer of one run. */
export interface TypedOutput {
  /** Reads answers. */
  readonly reader: AnswerReader;
  /** The tools of the run, with the one that takes the answer. */
  readonly tools: Toolset;
  /** The name of the tool that takes the answer. */
  readonly answerName: string;
  /** Whether a call gives the answer. */
  isAnswer(name: string): boolean;
  /** Decides how a turn asks for the answer. Rejects with `CONFIG_INVALID` if a tool on offer has the name of the one that takes the answer. */
  request(
    provider: Provider,
    model: string,
    offered: readonly Tool[],
    toolChoice: ToolChoice | undefined,
  ): Promise<OutputRequest>;
  /** Emits the answer so far after each event that adds to it. For the events of one turn. */
  withDeltas(emit: Emit, mode: OutputMode): Emit;
}

/** Prepares the typed answer of a run. Rejects with `CONFIG_INVALID` for a wrong schema. */
export async function createTypedOutput(schema: OutputSchema, tools: Toolset | undefined): Promise<TypedOutput> {
  const compiled = await compileOutput(schema);
  const reader = createAnswerReader(compiled);
  const answer = withAnswerTool(tools, compiled.schema, reader);
  const instruct = createInstruction(compiled);
  return {
    reader,
    tools: answer.tools,
    answerName: answer.tool.name,
    isAnswer: (name) => name === answer.tool.name,
    async request(provider, model, offered, toolChoice) {
      answer.checkName(offered);
      const others = answer.withoutAnswer(offered);
      const mode = chooseMode(
        await structuredOutputOf(provider, model),
        compiled.strictSchema !== undefined,
        others.length > 0,
        offered.length > others.length && toolChoice !== 'none',
      );
      if (mode === 'tool-call') {
        const choice = toolChoice === undefined || toolChoice === 'auto' ? 'required' : toolChoice;
        return {
          mode,
          tools: offered,
          fields: { toolChoice: others.length === 0 ? { name: answer.tool.name } : choice },
          messages: (messages) => messages,
        };
      }
      const fields = {
        ...(toolChoice === undefined ? {} : { toolChoice }),
        ...(mode === 'schema' && { responseFormat: responseFormatOf(compiled) }),
      };
      return { mode, tools: others, fields, messages: mode === 'text' ? instruct : (messages) => messages };
    },
    withDeltas: (emit, mode) => withDeltas(emit, mode, compiled, answer),
  };
}

async function structuredOutputOf(provider: Provider, model: string): Promise<StructuredOutput> {
  return (await provider.structuredOutput?.(model)) ?? 'tool-call';
}

/** Chooses the strictest available mode. A schema that no strict mode can express, such as one with arbitrary keys, goes into a tool. */
function chooseMode(best: StructuredOutput, isStrict: boolean, hasTools: boolean, canCall: boolean): OutputMode {
  const takesSchema = best === 'schema' || (best === 'schema-without-tools' && !hasTools);
  if (takesSchema && (isStrict || !canCall)) return 'schema';
  return best === 'text' || !canCall ? 'text' : 'tool-call';
}

function responseFormatOf({ schema, strictSchema }: CompiledOutput): ProviderRequest['responseFormat'] {
  return strictSchema === undefined
    ? { name: 'answer', schema }
    : { name: 'answer', schema: strictSchema, strict: true };
}

/** Returns what adds the instructions to the system prompt. The same prompt gives the same message each time, since encoders cache by identity. */
function createInstruction({ schema }: CompiledOutput): (messages: readonly Message[]) => readonly Message[] {
  const text = `Give your final answer as one JSON value and nothing else, without a code fence. It must follow this JSON Schema: ${JSON.stringify(schema)}`;
  const alone: Message = Object.freeze({ role: 'system', content: text });
  const known = new WeakMap<Message, Message>();
  return (messages) => {
    const [first] = messages;
    if (first?.role !== 'system') return [alone, ...messages];
    const instructed: Message =
      known.get(first) ?? Object.freeze({ role: 'system', content: `${first.content}\n\n${text}` });
    known.set(first, instructed);
    return [instructed, ...messages.slice(1)];
  };
}

function withDeltas(emit: Emit, mode: OutputMode, compiled: CompiledOutput, { tool }: AnswerTool): Emit {
  let json = createPartialJson();
  let answerIndex: number | undefined;
  const pieceOf = (event: AgentEvent): string => {
    if (event.type === 'reply-withdrawn') json = createPartialJson();
    if (event.type === 'text-delta') return mode === 'tool-call' ? '' : event.text;
    if (event.type !== 'tool-call-delta' || mode !== 'tool-call') return '';
    if (event.name === tool.name) answerIndex ??= event.index;
    return event.index === answerIndex ? event.arguments : '';
  };
  return (event) => {
    const lag = emit(event);
    json.push(pieceOf(event));
    const output = json.take();
    const inner = output === undefined ? undefined : compiled.unwrapPartial(output);
    if (inner === undefined) return lag;
    const deltaLag = emit({ type: 'output-delta', output: inner });
    return lag === undefined ? deltaLag : lag.then(() => deltaLag);
  };
}

import {
  type AgentEvent,
  type Message,
  type Provider,
  type ProviderRequest,
  type StructuredOutput,
  type Toolset,
  type Emit,
} from '@kernel/protocol';
import type { OutputMode, TypedOutput } from '../loop/run-state.ts';
import { createAnswerReader } from './answer-reader.ts';
import { createAnswerSteps } from './answer-steps.ts';
import { type AnswerTool, withAnswerTool } from './answer-tool.ts';
import { type CompiledOutput, compileOutput } from './compile-output.ts';
import type { OutputSchema } from './output-schema.ts';
import { createPartialJson } from './partial-json.ts';

/** Prepares the typed answer of a run. Rejects with `CONFIG_INVALID` for a wrong schema. */
export async function createTypedOutput(schema: OutputSchema, tools: Toolset | undefined): Promise<TypedOutput> {
  const compiled = await compileOutput(schema);
  const reader = createAnswerReader(compiled);
  const answer = withAnswerTool(tools, compiled.schema, reader);
  const instruct = createInstruction(compiled);
  return {
    ...createAnswerSteps(reader, answer.tool.name),
    tools: answer.tools,
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
    const drained = emit(event);
    json.push(pieceOf(event));
    const output = json.take();
    const inner = output === undefined ? undefined : compiled.unwrapPartial(output);
    if (inner === undefined) return drained;
    const deltaDrained = emit({ type: 'output-delta', output: inner });
    return drained === undefined ? deltaDrained : drained.then(() => deltaDrained);
  };
}

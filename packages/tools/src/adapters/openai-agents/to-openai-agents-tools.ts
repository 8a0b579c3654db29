import {
  callTool,
  checkToolset,
  type JsonSchema,
  type MediaPart,
  type Tool,
  toModelText,
  type Toolset,
} from '@kernel/protocol';
import { asDeclared } from '../../unsafe-casts.ts';

/** A function tool for the OpenAI Agents SDK: an element of `tools` of its `Agent`. */
export interface ConvertedOpenAiAgentsTool {
  /** Tells function tools from those that a vendor runs. */
  type: 'function';
  /** The name of the tool. */
  name: string;
  /** What the tool does. */
  description: string;
  /** The JSON Schema of the arguments. */
  parameters: OpenAiAgentsParameters;
  /** Asks the vendor to hold the model to the schema. */
  strict: boolean;
  /** Runs the tool. Resolves to what the model reads, of a failure too. */
  invoke: (
    runContext: {
      /** The context object of the SDK's run, which tools get as their context. */
      readonly context: unknown;
    },
    input: string,
    details?: {
      /** Aborts the call. */
      readonly signal?: AbortSignal;
      /** The function call item of the model's reply. */
      readonly toolCall?: {
        /** The id of the tool call, to which its result refers. */
        readonly callId: string;
      };
    },
  ) => Promise<string | OpenAiAgentsOutput[]>;
  /** Always false: wrap it to require approval. */
  needsApproval: () => Promise<boolean>;
  /** Always true. */
  isEnabled: () => Promise<boolean>;
}

/** A JSON Schema of an object, as the OpenAI Agents SDK declares it. */
export interface OpenAiAgentsParameters {
  /** The root is an object. */
  type: 'object';
  /** The schemas of the arguments. */
  properties: Record<string, JsonSchema>;
  /** The names of the required arguments. */
  required: string[];
  /** Whether others are allowed; a schema for them stays one. */
  additionalProperties: true;
}

/** A part of what a model reads of a result. */
export type OpenAiAgentsOutput =
  | { type: 'text'; text: string }
  | { type: 'image'; image: { data: string; mediaType: string } | { url: string } };

/** Returns the tools on offer now for the OpenAI Agents SDK: `new Agent({ tools: toOpenAiAgentsTools(registry) })`. */
export function toOpenAiAgentsTools(tools: Toolset): ConvertedOpenAiAgentsTool[] {
  checkToolset('toOpenAiAgentsTools', tools);
  let count = 0;
  return tools.list().map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: toParameters(tool),
    strict: tool.strict ?? false,
    async invoke({ context }, input, { signal = new AbortController().signal, toolCall } = {}) {
      count += 1;
      const call = {
        type: 'tool-call',
        id: toolCall?.callId ?? `call-${count}`,
        name: tool.name,
        arguments: input,
      } as const;
      const result = await callTool(tools, call, { signal, context });
      const images = (result.media ?? []).flatMap((part) => toImage(part) ?? []);
      const text = toModelText(result);
      return images.length === 0 ? text : [{ type: 'text', text }, ...images];
    },
    needsApproval: async () => false,
    isEnabled: async () => true,
  }));
}

/** The OpenAI Agents SDK declares fewer schemas than it sends: this one goes to the vendor as it is. */
function toParameters({ parameters }: Tool): OpenAiAgentsParameters {
  return asDeclared({ properties: {}, required: [], ...parameters });
}

function toImage({ type, mimeType: mediaType, data, url }: MediaPart): OpenAiAgentsOutput | undefined {
  if (type !== 'image') return undefined;
  if (data !== undefined) return { type, image: { data, mediaType } };
  return url === undefined ? undefined : { type, image: { url } };
}

import {
  callTool,
  checkToolset,
  toModelText,
  toResultJson,
  type Tool,
  type ToolResultJson,
  type Toolset,
} from '@kernel/protocol';
import { asDeclared } from '../../unsafe-casts.ts';
import { type AiSdkOutput, toModelOutput } from './model-output.ts';

/** A tool for the AI SDK: a value of `tools` of its `generateText` and `streamText`. */
export interface ConvertedAiSdkTool {
  /** What the tool does. */
  readonly description: string;
  /** A name for people. */
  readonly title?: string;
  /** Asks the vendor to hold the model to the schema. */
  readonly strict?: boolean;
  /** The parameters of the tool. Accepts everything: the toolset validates and repairs arguments itself. */
  readonly inputSchema: SchemaForAiSdk;
  /** Runs the tool. Rejects with the text of a failure, which the AI SDK shows to the model. */
  readonly execute: (input: unknown, options: AiSdkCallOptions) => Promise<ToolResultJson>;
  /** The text and the media of a result. */
  readonly toModelOutput: (options: {
    /** The output of the tool call: what `execute` resolved to. */
    readonly output: ToolResultJson;
  }) => AiSdkOutput;
}

/** A Standard Schema with its JSON Schema, as the AI SDK declares it. */
export interface SchemaForAiSdk {
  /** The properties that the Standard Schema specification defines. */
  readonly '~standard': {
    /** The version number of the standard. */
    readonly version: 1;
    /** The vendor name of the schema library: `kernel`. */
    readonly vendor: string;
    /** Validates unknown input values. Accepts every value. */
    readonly validate: (value: unknown) => {
      /** The typed output value: the given value itself. */
      readonly value: never;
    };
    /** Generates JSON Schema, as the Standard JSON Schema specification defines. */
    readonly jsonSchema: {
      /** Converts the input type to JSON Schema: a copy of the tool's parameters. */
      readonly input: () => Record<string, unknown>;
      /** Converts the output type to JSON Schema: the same as the input. */
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** What the AI SDK passes with a call. */
export interface AiSdkCallOptions {
  /** The id of the call. */
  readonly toolCallId: string;
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal | undefined;
  /** The context of the tool, in AI SDK 7. */
  readonly context?: unknown;
}

/**
 * Returns the tools on offer now, by name, for the AI SDK: `generateText({ tools: toAiSdkTools(registry) })`.
 *
 * @example
 * ```ts
 * import { createRegistry } from '@kernel/tools';
 * import { toAiSdkTools } from '@kernel/tools/adapters';
 *
 * const registry = createRegistry();
 * const tools = toAiSdkTools(registry); // generateText({ model, prompt, tools }) of the AI SDK
 * ```
 */
export function toAiSdkTools(tools: Toolset): Record<string, ConvertedAiSdkTool> {
  checkToolset('toAiSdkTools', tools);
  return Object.fromEntries(tools.list().map((tool) => [tool.name, toAiSdkTool(tools, tool)]));
}

function toAiSdkTool(tools: Toolset, tool: Tool): ConvertedAiSdkTool {
  const { name, description, title, strict, parameters } = tool;
  return {
    description,
    ...(title === undefined ? {} : { title }),
    ...(strict === undefined ? {} : { strict }),
    inputSchema: {
      '~standard': {
        version: 1,
        vendor: 'kernel',
        validate: (value) => ({ value: asDeclared(value) }),
        jsonSchema: { input: () => structuredClone(parameters), output: () => structuredClone(parameters) },
      },
    },
    async execute(input, { toolCallId: id, abortSignal: signal = new AbortController().signal, context }) {
      const call = { type: 'tool-call', id, name, arguments: JSON.stringify(input) ?? '' } as const;
      const result = await callTool(tools, call, { signal, context });
      if (result.isError === true) throw new Error(toModelText(result), { cause: result.error });
      return toResultJson(result);
    },
    toModelOutput: ({ output }) => toModelOutput(output),
  };
}

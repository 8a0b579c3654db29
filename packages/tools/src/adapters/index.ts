export { fromAiSdkTool } from './ai-sdk/from-ai-sdk-tool.ts';
export type { AiSdkToolInput } from './ai-sdk/from-ai-sdk-tool.ts';
export type { AiSdkFile, AiSdkOutput } from './ai-sdk/model-output.ts';
export { toAiSdkTools } from './ai-sdk/to-ai-sdk-tools.ts';
export type { AiSdkCallOptions, ConvertedAiSdkTool, SchemaForAiSdk } from './ai-sdk/to-ai-sdk-tools.ts';
export type { ForeignToolOptions } from './foreign-tool.ts';
export { fromOpenAiAgentsTool } from './openai-agents/from-openai-agents-tool.ts';
export type { OpenAiAgentsToolInput } from './openai-agents/from-openai-agents-tool.ts';
export { toOpenAiAgentsTools } from './openai-agents/to-openai-agents-tools.ts';
export type {
  ConvertedOpenAiAgentsTool,
  OpenAiAgentsOutput,
  OpenAiAgentsParameters,
} from './openai-agents/to-openai-agents-tools.ts';

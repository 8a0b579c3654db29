import type { McpAnswer, McpQuestion, McpSamplingRequest, McpUrlQuestion } from '@kernel/mcp';

/** How the questions of MCP servers are answered. */
export interface ServerAnswers {
  readonly elicit?: (question: McpQuestion) => Promise<McpAnswer>;
  readonly elicitUrl?: (question: McpUrlQuestion) => Promise<McpAnswer['action']>;
  /** Decides on a request to the model. */
  readonly approveSampling: (request: McpSamplingRequest) => Promise<boolean>;
}

export { acpAgent } from './acp-agent.ts';
export type {
  AcpAgentLimits,
  AcpAgentOptions,
  AgentRequestName,
  AgentWorkspace,
  CommandsInCopy,
  WorkspaceFile,
} from './options.ts';

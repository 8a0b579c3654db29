export { acpAgent } from './acp-agent.ts';
export type {
  AcpAgentLimits,
  AcpAgentOptions,
  AgentWorkspace,
  CommandsInCopy,
  WorkspaceEdit,
  WorkspaceFile,
} from './options.ts';
export type { AgentRequestName } from './requests/permission.ts';

export { withCodeMode } from './with-code-mode.ts';
export type { CodeModeLimits, CodeModeOptions, ProgramValues } from './options.ts';
export { createWorkerSandbox } from './sandbox/worker-sandbox.ts';
export type { WorkerSandboxOptions } from './sandbox/worker-sandbox.ts';
export { createInlineSandbox } from './sandbox/inline-sandbox.ts';
export type { InlineSandboxOptions } from './sandbox/inline-sandbox.ts';
export { approvePlans } from './approve-plans.ts';
export type { ApprovalRequest, PlanDecision, ProgramPlan } from './approve-plans.ts';

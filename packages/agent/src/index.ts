export { run } from './run.ts';
export type { RunOptions } from './options.ts';
export { collect } from './collect.ts';
export type { CallRecord, RunResult } from './collect.ts';
export { inProcessSteps } from './steps.ts';
export type { Emit, Step, Steps } from './steps.ts';
export type { RunLimits } from './limits.ts';
export type { ApprovalDecision, Approve } from './approval.ts';
export { repairHistory } from './repair-history.ts';

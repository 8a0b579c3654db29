import type { StepExecutor } from '@kernel/protocol';
import { createCallApproval } from '../approval/call-approval.ts';
import { createCallBatch } from '../calls/call-batch.ts';
import type { CallPolicy } from '../calls/prepare-calls.ts';
import type { RunCallContext } from '../calls/run-call-context.ts';
import type { CallResources } from '../calls/tool-calls.ts';
import { createLoopGuard, type LoopGuard } from '../limits/loop-guard.ts';
import { createSemaphore } from '../limits/semaphore.ts';
import { createUsageMeter, type UsageMeter } from '../limits/usage-meter.ts';
import type { RunOptions } from '../options.ts';
import type { TypedOutput } from '../output/typed-output.ts';
import { modelSettingsOf } from '../turn/model-settings.ts';
import { createToolSelection } from '../turn/prepare-turn.ts';
import { createTurnTools, type TurnTools } from '../turn/turn-tools.ts';
import type { ModelResources } from '../turn/types.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { currentAgentPath, currentAgentScope, currentScope, type RunScope } from './run-scope.ts';
import { inProcessSteps } from './steps.ts';

/** What the parts of a run work with. */
export interface RunResources {
  /** Executes the steps: the run's own executor, or that of the call whose agent it is. */
  readonly steps: StepExecutor;
  /** The scope of the call whose agent it is. */
  readonly scope: RunScope | undefined;
  /** What reaches it from outside. */
  readonly inbox: Inbox;
  /** Counts what it uses. */
  readonly meter: UsageMeter;
  /** Absent where repeats are not limited. */
  readonly guard: LoopGuard | undefined;
  /** Begins the turns of its toolset. */
  readonly turnTools: TurnTools;
  /** For model steps. */
  readonly model: ModelResources;
  /** For the decisions on calls. */
  readonly policy: CallPolicy;
  /** For calls. */
  readonly calls: CallResources;
}

/** Creates what a run works with. Called where the run starts, so that it finds the call around it. */
export function createRunResources(options: RunOptions, output: TypedOutput | undefined): RunResources {
  const { provider, approve, approvalTimeoutMs, limits = {}, steering } = options;
  const tools = output?.tools ?? options.tools;
  const callContext: RunCallContext = { conversation: options.conversation, context: options.context, turn: undefined };
  const path = currentAgentPath();
  const approval = approve && createCallApproval({ approve, timeoutMs: approvalTimeoutMs ?? Infinity, tools, path });
  const inbox = createInbox(steering);
  const scope = currentAgentScope();
  const outer = currentScope();
  const steps = options.steps ?? scope?.innerSteps() ?? inProcessSteps;
  const batchOptions = {
    hasApproval: approve !== undefined,
    runId: options.runId === undefined ? undefined : (outer?.uniqueRunId(options.runId) ?? options.runId),
    isNested: outer !== undefined,
    isRecorded: steps !== inProcessSteps,
  };
  const meter = createUsageMeter(limits, scope?.hasBudget);
  const guard = limits.repeats === false ? undefined : createLoopGuard(limits.repeats);
  const turnTools = createTurnTools(tools, callContext);
  const beginTurn = turnTools.beginEntered;
  return {
    steps,
    scope,
    inbox,
    meter,
    guard,
    turnTools,
    model: {
      provider,
      settings: modelSettingsOf(options),
      inbox,
      offeredTools: turnTools.begin,
      createBatch: (calls, offered, isRestricted) => createCallBatch(calls, offered, batchOptions, isRestricted),
      prepareTurn: options.prepareTurn,
      selectTools: createToolSelection(),
      callContext,
      output,
    },
    policy: { tools, callContext, beginTurn, approval, meter, guard },
    calls: {
      tools,
      callContext,
      beginTurn,
      steps,
      hasBudget: meter.hasBudget,
      approve,
      approvalTimeoutMs,
      approval,
      path,
      semaphore: createSemaphore(limits.parallel),
      inbox,
    },
  };
}

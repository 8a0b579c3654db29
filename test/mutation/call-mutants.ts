import type { Mutant } from './mutant.ts';

const AGENT = 'packages/agent/src';
const AGENT_TESTS = 'packages/agent/test';
const TOOLS = 'packages/tools/src';
const TOOLS_TESTS = 'packages/tools/test';
const BORDER = `${AGENT}/loop/call-border.ts`;
const PREPARED = `${AGENT}/loop/prepare-calls.ts`;
const DECIDED = `${AGENT}/loop/decide-calls.ts`;
const STEP = `${AGENT}/loop/tool-call.ts`;
const APPROVE = `${AGENT}/approval/approve-calls.ts`;
const DIGEST = `${AGENT}/approval/call-digest.ts`;
const RUNNER = `${TOOLS}/call/runner.ts`;
const PREPARER = `${TOOLS}/call/prepare-calls.ts`;
const LOOKUP = `${TOOLS}/registry/lookup.ts`;
const MOUNT = `${TOOLS}/registry/mount.ts`;
const VIEW = `${TOOLS}/registry/view.ts`;
const PORTS = 'packages/protocol/src/wrap-ports.ts';
const FUNCTION = 'packages/schema/src/arguments/foreign-arguments.ts';
const PERMISSIONS = 'packages/toolbox/src/permissions/with-permissions.ts';

const APPROVED = `${AGENT_TESTS}/approval/approved-call.test.ts`;
const LATER = `${AGENT_TESTS}/approval/later.test.ts`;
const RECORDED = `${AGENT_TESTS}/loop/recorded-steps.test.ts`;
const FUNCTION_RUN = `${AGENT_TESTS}/loop/validated-calls.test.ts`;
const PREPARE = `${TOOLS_TESTS}/call/prepare.test.ts`;
const STARTED = `${TOOLS_TESTS}/call/started.test.ts`;
const AVAILABILITY = `${TOOLS_TESTS}/registry/availability.test.ts`;
const MOUNTED = `${TOOLS_TESTS}/registry/mount.test.ts`;
const VIEWED = `${TOOLS_TESTS}/registry/view.test.ts`;
const HIDDEN = `${TOOLS_TESTS}/model-tools/with-hidden-tools.test.ts`;
const WRAPPED = 'packages/testing/test/wrap-ports.test.ts';
const OF_FUNCTION = 'packages/schema/test/arguments/to-toolset.test.ts';
const PERMITTED = 'packages/toolbox/test/permissions/prepared-calls.test.ts';

const fault = (name: string, file: string, find: string, replace: string, ...tests: string[]): Mutant => ({
  name,
  file,
  find,
  replace,
  tests,
});

/** Faults between a model's call and what runs of it: prepare, decide, digest, run. */
export const CALL_MUTANTS: readonly Mutant[] = [
  // The registry prepares.
  fault(
    'a person is shown what the model wrote',
    PREPARER,
    "parse === undefined ? (JSON.stringify(validated.input) ?? 'null') : toText(validated.input)",
    'toText(request.arguments)',
    PREPARE,
  ),
  fault(
    'a handler gets what the model wrote',
    RUNNER,
    'return runValidated(record, shown);',
    'return runValidated(record, { ...shown, validated: { input: JSON.parse(String(request.arguments)), repairs: [], notes: [] } });',
    PREPARE,
  ),
  fault(
    'a call is prepared after an abort',
    PREPARER,
    'if (context.signal.aborted) return refuse(request, cancelledBeforeStartResult(binding.tool.name));',
    '',
    PREPARE,
  ),
  fault(
    'a call that its library wants to be allowed is not',
    PREPARER,
    'isNeeded === true ? true : undefined',
    'undefined',
    `${TOOLS_TESTS}/adapters/ai-sdk.test.ts`,
  ),
  fault(
    'a mounted call loses that it needs an approval',
    PREPARER,
    '{ ...forwarded, awaitsStarted: true,',
    '{ ...forwarded, needsApproval: undefined, awaitsStarted: true,',
    PREPARE,
  ),
  fault(
    'a mounted call loses that it runs an agent',
    PREPARER,
    '{ ...forwarded, awaitsStarted: true,',
    '{ ...forwarded, runsAgent: request.binding.runsAgent, awaitsStarted: true,',
    PREPARE,
  ),
  fault(
    'a mounted call that cannot run is not reported',
    PREPARER,
    '? refuse(request, forwarded)',
    '? forwarded',
    PREPARE,
  ),
  fault('a mounted tool cannot be called without arguments', PREPARER, 'toText(raw ?? {})', 'toText(raw)', MOUNTED),
  fault(
    'a set is shown as an empty object',
    PREPARER,
    'if (value instanceof Map || value instanceof Set) return [...value];',
    '',
    PREPARE,
  ),
  fault(
    'a validation that is left behind is not counted',
    PREPARER,
    'if (abandoned !== undefined && validated.error !== undefined)',
    'if (abandoned === null)',
    `${TOOLS_TESTS}/call/concurrency.test.ts`,
  ),
  // The registry runs.
  fault('a call does not renew the promotion of its tool', RUNNER, 'request.onRun?.();', '', PREPARE),
  fault(
    'a mounted call is recorded twice',
    RUNNER,
    'if (started !== undefined && record.forwarded?.awaitsStarted !== true) {',
    'if (started !== undefined) {',
    STARTED,
  ),
  fault(
    'a mounted call is not recorded',
    RUNNER,
    'started: prepared.awaitsStarted === true ? started : undefined,',
    'started: undefined,',
    STARTED,
  ),
  fault(
    'a call without limits is not recorded',
    RUNNER,
    'if (plan.isQueued || record.running.started !== undefined)',
    'if (plan.isQueued)',
    STARTED,
  ),
  fault(
    'a call that is aborted while it is recorded runs',
    RUNNER,
    'if (signal.aborted) return failed?.result ??',
    'if (signal.aborted && failed !== undefined) return failed.result ??',
    STARTED,
  ),
  fault(
    'execute runs what needs an approval',
    `${TOOLS}/registry/registry.ts`,
    'if (prepared.needsApproval !== true) return prepared.run(running);',
    'return prepared.run(running);',
    PREPARE,
  ),
  fault(
    'a question of a library that fails rejects the preparation',
    PREPARER,
    'true : undefined);\n    } catch (error) {\n      return failed(request, error);',
    'true : undefined);\n    } catch (error) {\n      throw error;',
    PREPARE,
  ),
  // Lookup, mounts, views, hidden tools.
  fault('a hidden tool can be called', LOOKUP, '(isHidden && !includesHidden)', '(isHidden && false)', HIDDEN),
  fault(
    'a hidden tool of a vendor that searches cannot be called',
    LOOKUP,
    'any: lookup(true)',
    'any: lookup(false)',
    HIDDEN,
  ),
  fault(
    'a tool whose condition does not hold can be called',
    LOOKUP,
    'results.get(when) === true\n',
    'results.get(when) !== null\n',
    AVAILABILITY,
  ),
  fault(
    'a condition is not asked in the turn of a call',
    LOOKUP,
    'results.has(when) ? decide(results) : conditions.evaluate(turn, [when]).then(decide)',
    'decide(results)',
    AVAILABILITY,
  ),
  fault(
    'a mounted call shows the tool of the other toolset',
    MOUNT,
    '{ ...prepared, tool: shown(prepared.tool) }',
    'prepared',
    PREPARE,
  ),
  fault(
    'a mounted call is prepared under its name here',
    MOUNT,
    'id, name: tool.name, arguments: text }',
    'id, name, arguments: text }',
    MOUNTED,
  ),
  fault(
    'a condition of a mounted registry holds for all turns',
    MOUNT,
    'offeredNames.set(turn, new Set(offered.map((tool) => tool.name)));',
    '',
    AVAILABILITY,
  ),
  fault(
    'a conditional tool of a mounted registry is bound anew in each turn',
    MOUNT,
    'differsByTurn ||= offered.some(isConditional);',
    '',
    AVAILABILITY,
  ),
  fault(
    'a view prepares what it does not show',
    VIEW,
    'return shown.names.has(call.name)',
    'return shown.names.size >= 0',
    VIEWED,
  ),
  fault(
    'a view offers what it does not show',
    VIEW,
    '(showsLacking ? list() : shownOf(offered).tools)',
    'offered',
    VIEWED,
  ),
  fault(
    'a hidden tool is promoted before its call runs',
    `${TOOLS}/model-tools/with-hidden-tools.ts`,
    'const prepared = registry.prepareHidden(call, context);',
    'registry.promote([call.name]);\n      const prepared = registry.prepareHidden(call, context);',
    HIDDEN,
  ),
  fault(
    'a hidden tool is not promoted by its call',
    `${TOOLS}/model-tools/with-hidden-tools.ts`,
    'if (isHidden(call.name)) registry.promote([call.name]);',
    '',
    HIDDEN,
  ),
  // A run prepares.
  fault(
    'a toolset cannot say that a call needs an approval',
    PREPARED,
    'return needsApproval ?? (',
    'return (',
    APPROVED,
  ),
  fault(
    'a run without an approval denies what changes something',
    PREPARED,
    "(options.approve !== undefined && tool.effect !== 'read')",
    "tool.effect !== 'read'",
    RECORDED,
  ),
  fault(
    'an edited call runs as it was',
    PREPARED,
    'if (known?.call.name === call.name && known.call.arguments === call.arguments) return known.prepared;',
    'if (known !== undefined) return known.prepared;',
    LATER,
  ),
  fault('a call is prepared again when it runs', PREPARED, 'run.ready.set(call.id, { call, prepared });', '', APPROVED),
  fault(
    'a call of a journal is prepared before its turn has begun',
    PREPARED,
    'const begun = beginTurnOfCalls(run, signal);',
    'const begun: unknown = undefined;',
    APPROVED,
  ),
  fault(
    'a toolset that gives something else crashes the run',
    BORDER,
    "if (isObject(value) && typeof value['run'] === 'function') {",
    'if (value === value) return value as PreparedCall;\n  if (isObject(value)) {',
    APPROVED,
  ),
  fault(
    'a prepare that throws ends the run',
    BORDER,
    'return unpreparedResult(call, context, error);',
    'throw error;',
    APPROVED,
  ),
  fault(
    'a prepare that rejects ends the run',
    BORDER,
    '\n      .catch((error: unknown) => unpreparedResult(call, context, error))',
    '',
    APPROVED,
  ),
  fault(
    'a call whose preparation was aborted is said to have failed',
    BORDER,
    'if (signal.aborted) return notStartedResult(call);',
    '',
    APPROVED,
  ),
  fault(
    'nobody is asked about a call',
    PREPARED,
    'if (run.options.approve !== undefined && needsDecision(run, runnable)) needApproval.push(id);',
    '',
    APPROVED,
  ),
  fault(
    'a call is recorded as one that reads',
    PREPARED,
    "effects.push([id, runnable?.tool.effect ?? 'external']);",
    "effects.push([id, 'read']);",
    RECORDED,
  ),
  fault(
    'the steps of an agent are not recorded',
    PREPARED,
    'if (runnable.runsAgent === true) agents.push(id);',
    '',
    RECORDED,
  ),
  // Decisions.
  fault(
    'a person is shown other arguments than those that run',
    APPROVE,
    'name: tool.name, arguments: prepared.arguments }',
    'name: tool.name }',
    APPROVED,
  ),
  fault(
    'a person is shown another name than that of the tool',
    APPROVE,
    '{ ...call, name: tool.name, arguments',
    '{ ...call, arguments',
    `${AGENT_TESTS}/wrappers/hooks-approval.test.ts`,
  ),
  fault(
    'an allow for another question counts',
    APPROVE,
    "answer.decision === 'later' || isForOther(answer, digest)",
    "answer.decision === 'later'",
    LATER,
  ),
  fault(
    'an edit has the digest of the call before it',
    APPROVE,
    "digest: digestOf(edited, editedCall) ?? ''",
    'digest',
    APPROVED,
  ),
  fault('an edited call is not the one that runs', DECIDED, 'call: withDecision(each.call, made), ', '', APPROVED),
  fault(
    'a digest leaves out the arguments that are shown',
    PREPARED,
    'callDigest(prepared.tool, prepared.arguments, call)',
    "callDigest(prepared.tool, '', call)",
    APPROVED,
  ),
  fault(
    'a digest leaves out the arguments that the model gave',
    DIGEST,
    ', canonicalArguments(call.arguments)]);\n}\n\n/** Returns a short digest',
    ']);\n}\n\n/** Returns a short digest',
    `${AGENT_TESTS}/approval/remembered-answers.test.ts`,
  ),
  fault(
    'a value of a library is shown as what has the same JSON',
    'packages/tools/src/call/prepare-calls.ts',
    'parse === undefined || isToldByJson(validated.input) ? text : toText(validated.json)',
    'text',
    'packages/tools/test/call/prepare.test.ts',
  ),
  fault(
    'a digest leaves out the description',
    DIGEST,
    '[name, title, description, effect, parameters, outputSchema]',
    '[name, title, effect, parameters, outputSchema]',
    APPROVED,
  ),
  fault(
    'a digest leaves out the effect',
    DIGEST,
    '[name, title, description, effect, parameters, outputSchema]',
    "[name, title, description, parameters, outputSchema, effect === '']",
    APPROVED,
  ),
  fault(
    'a digest leaves out the schema',
    DIGEST,
    '[name, title, description, effect, parameters, outputSchema]',
    '[name, title, description, effect, outputSchema]',
    APPROVED,
  ),
  fault(
    'a digest leaves out the name',
    DIGEST,
    '[name, title, description, effect, parameters, outputSchema]',
    '[title, description, effect, parameters, outputSchema, typeof name]',
    APPROVED,
  ),
  // A run runs.
  fault(
    'a call that needs no decision does not run',
    DECIDED,
    'if (!needsDecision(run, prepared)) return prepared;',
    '',
    RECORDED,
  ),
  fault(
    'a call that nobody can allow is said to have changed',
    DECIDED,
    'if (run.options.approve !== undefined) return changedResult(call);',
    'if (run !== undefined) return changedResult(call);',
    APPROVED,
  ),
  fault(
    'a call is recorded by two',
    STEP,
    'if (prepared.awaitsStarted === true || started === undefined) return',
    'if (started === undefined) return',
    APPROVED,
  ),
  fault(
    'a call is recorded by nobody',
    STEP,
    'started: prepared.awaitsStarted === true ? started : undefined,',
    'started,',
    APPROVED,
  ),
  fault(
    'a call runs whose run was aborted while it was recorded',
    STEP,
    'signal.aborted ? notStartedResult(call) : runPreparedCall',
    'signal.aborted && call === undefined ? notStartedResult(call) : runPreparedCall',
    APPROVED,
  ),
  // Wrappers.
  fault(
    'callTool runs what needs an approval',
    PORTS,
    'if (prepared.needsApproval === true) {',
    'if (prepared.needsApproval === null) {',
    WRAPPED,
  ),
  fault(
    'callTool runs before its record',
    PORTS,
    'return Promise.resolve(running.started()).then(() => prepared.run(running));',
    'return prepared.run(running);',
    WRAPPED,
  ),
  fault(
    'callTool records what records itself',
    PORTS,
    'if (prepared.awaitsStarted === true || running.started === undefined)',
    'if (running.started === undefined)',
    WRAPPED,
  ),
  fault(
    'a wrapper of calls is never synchronous',
    PORTS,
    'return prepared instanceof Promise ? prepared.then(wrapped) : wrapped(prepared);',
    'return Promise.resolve(prepared).then(wrapped);',
    WRAPPED,
  ),
  fault(
    'a wrapper loses the tools of a turn',
    PORTS,
    "['list', 'listFor', 'prepare', 'subscribe']",
    "['list', 'prepare', 'subscribe']",
    WRAPPED,
  ),
  fault(
    'a hook cannot change a call',
    `${AGENT}/wrappers/tool-hooks.ts`,
    "before?.action === 'change' ? { ...before.call, id: original.id } : original",
    'original',
    APPROVED,
  ),
  // A toolset of one function.
  fault('a function gets what the model wrote', FUNCTION, '{ ...call, arguments: text }', 'call', OF_FUNCTION),
  fault(
    'a function is called after an abort',
    FUNCTION,
    "if (signal.aborted) return toErrorResult(cancelledError(tool.name), 'cancelled');",
    '',
    FUNCTION_RUN,
  ),
  fault(
    'a function that is aborted is said to be done',
    FUNCTION,
    'signal.aborted ? resultAfterAbort(result, tool.name) : result, validated',
    'result, validated',
    FUNCTION_RUN,
  ),
  fault(
    'a function that throws after an abort is said to have done nothing',
    FUNCTION,
    "'; what it has done so far is unknown'",
    "''",
    FUNCTION_RUN,
  ),
  fault(
    'a function whose result cannot be read is said to have failed',
    FUNCTION,
    'return isRepeatable(tool.effect)\n',
    'return tool.effect !== null\n',
    OF_FUNCTION,
  ),
  fault('a function that records is recorded twice', FUNCTION, '        awaitsStarted,\n', '', OF_FUNCTION),
  fault(
    'a toolset of one function loses the tools of a turn',
    FUNCTION,
    'listFor.call(source, turn)',
    'listFor(turn)',
    FUNCTION_RUN,
  ),
  // Permissions.
  fault(
    'a person is asked about what a rule denies',
    PERMISSIONS,
    'if (refused !== undefined) return refused;',
    '',
    PERMITTED,
  ),
  fault(
    'a rule that comes while a call waits does not hold',
    PERMISSIONS,
    'return refusalOf(decide()) ?? (closed',
    'return (closed',
    PERMITTED,
  ),
  fault(
    'a read that a rule asks about runs unasked',
    PERMISSIONS,
    'isAsked ? true : prepared.needsApproval',
    'prepared.needsApproval',
    PERMITTED,
  ),
  fault(
    'rules forget that a toolset needs an approval',
    PERMISSIONS,
    'isAsked ? true : prepared.needsApproval',
    'isAsked ? true : undefined',
    PERMITTED,
  ),
  fault('a rule that asks denies where nobody can be asked', PERMISSIONS, " && tool.effect === 'read'", '', PERMITTED),
  fault('every read is asked about', PERMISSIONS, ' && rule !== undefined', '', PERMITTED),
  fault(
    'rules decide on the name that the model used',
    PERMISSIONS,
    '{ ...call, name: tool.name, arguments: text }',
    '{ ...call, arguments: text }',
    PERMITTED,
  ),
  fault(
    'arguments that no rule can read run',
    PERMISSIONS,
    "decision.verdict === 'deny' || input === undefined",
    "decision.verdict === 'deny'",
    PERMITTED,
  ),
  // Others hold what was shown.
  fault('a handler changes what its next attempt gets', PREPARER, 'shown.isHeld = true;', '', PREPARE),
  fault(
    'what a library made runs as others changed it',
    PREPARER,
    'isHeld: parse !== undefined || check !== undefined',
    'isHeld: false',
    PREPARE,
  ),
  fault(
    'the key of a limit changes what runs',
    RUNNER,
    "shown.isHeld ||= typeof binding.concurrency === 'object';",
    '',
    PREPARE,
  ),
  fault(
    'a mounted tool hides what its toolset made of it',
    MOUNT,
    'other.name === tool.name ? Object.freeze({ ...other, name })',
    'other.name === tool.name ? own',
    MOUNTED,
  ),
  fault(
    'a reader of events rewrites a question',
    APPROVE,
    'Object.freeze({ ...call, name: tool.name, arguments: prepared.arguments })',
    '{ ...call, name: tool.name, arguments: prepared.arguments }',
    APPROVED,
  ),
  fault('an edit runs another tool', APPROVE, 'edited.tool.name === tool.name', "tool.name !== ''", APPROVED),
  fault(
    'a decision is forgotten by a run that asks nobody',
    DECIDED,
    'undecided.map(withKeptDecision)',
    'undecided',
    LATER,
  ),
];

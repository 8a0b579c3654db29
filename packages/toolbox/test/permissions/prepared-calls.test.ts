import assert from 'node:assert/strict';
import { isToolResult, type PreparedCall, type ToolResult, wrapCalls } from '@kernel/protocol';
import { mockTool, mockToolset, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type PermissionRule, permissions, type Permissions, withPermissions } from '../../src/permissions/index.ts';

const context = { signal: new AbortController().signal };
const call = { type: 'tool-call', id: '1', name: 'edit_file', arguments: '{"path":"a"}' } as const;

/** A toolset of one tool under rules that can be replaced. */
function guarded(effect: 'read' | 'write', ...rules: PermissionRule[]) {
  const inner = mockToolset([mockTool('edit_file', 'edited', { effect })]);
  let current = permissions(rules);
  const policy: Permissions = { ...current, decide: (...given) => current.decide(...given) };
  return {
    inner,
    tools: withPermissions(inner, policy),
    replace(...next: PermissionRule[]) {
      current = permissions(next);
    },
  };
}

function preparedOf(prepared: PreparedCall | ToolResult | Promise<unknown>): PreparedCall {
  assert(!(prepared instanceof Promise) && !isToolResult(prepared));
  return prepared;
}

test('a call that the rules deny is refused when it is prepared, so that nobody is asked', () => {
  verifies('toolbox.permissions.toolset');
  const { inner, tools } = guarded('write', { deny: 'edit_file' });
  expect(tools.prepare(call, context)).toMatchObject({ isError: true, code: 'TOOL_DENIED', outcome: 'denied' });
  expect(inner.calls).toEqual([]);
});

test('a rule that comes while somebody is asked keeps the call from running', async () => {
  verifies('toolbox.permissions.toolset');
  const { inner, replace, tools } = guarded('write');
  const prepared = preparedOf(tools.prepare(call, context));
  replace({ deny: 'edit_file' });
  expect(await prepared.run(context)).toMatchObject({ code: 'TOOL_DENIED', outcome: 'denied' });
  expect(inner.calls).toEqual([]);
  replace({ ask: 'edit_file' });
  expect((await prepared.run(context)).forLLM).toBe('edited');
});

test.each([
  ['write', [{ ask: 'edit_file' }], undefined],
  ['read', [{ ask: 'edit_file' }], true],
  ['read', [], undefined],
  ['read', [{ allow: 'edit_file' }], undefined],
] as const)('a call of a %s tool under the rules %j has needsApproval %s', (effect, rules, needsApproval) => {
  verifies('toolbox.permissions.toolset');
  expect(preparedOf(guarded(effect, ...rules).tools.prepare(call, context)).needsApproval).toBe(needsApproval);
});

test('rules decide on the tool that runs, not on the name that the model used', () => {
  verifies('toolbox.permissions.toolset');
  const { inner } = guarded('write');
  const renamed = wrapCalls(inner, (prepared) => ({ ...prepared, tool: { ...prepared.tool, name: 'remove_file' } }));
  const tools = withPermissions(renamed, permissions([{ deny: 'remove_file' }]));
  expect(tools.prepare(call, context)).toMatchObject({ code: 'TOOL_DENIED' });
});

test('arguments that are not a JSON object are refused, since no rule can tell what they do', () => {
  verifies('toolbox.permissions.toolset');
  const { tools } = guarded('write');
  for (const text of ['[1]', '"a"', '{"path"'])
    expect(tools.prepare({ ...call, arguments: text }, context)).toMatchObject({ code: 'TOOL_DENIED' });
});

test('an approval that the toolset needs is needed under the rules, too', () => {
  const { inner } = guarded('write');
  const needing = wrapCalls(inner, (prepared) => ({ ...prepared, needsApproval: true }));
  const tools = withPermissions(needing, permissions([{ allow: 'edit_file' }]));
  expect(preparedOf(tools.prepare(call, context)).needsApproval).toBe(true);
});

import { type Tool, type Toolset, wrapToolset } from '@kernel/protocol';
import type { PermissionRule } from '@kernel/toolbox/permissions';

/** The tools that only read, as a run gets them that asks about some of their calls. */
const asked = new WeakMap<Tool, Tool>();
const raised = new WeakSet<Tool>();

/**
 * Has a run decide on calls of the tools that only read and that a rule asks about: such a call can wait for an answer, as those that change something can.
 * To the run they are tools whose calls may be repeated.
 */
export function askAboutReads(tools: Toolset, rules: () => readonly PermissionRule[]): Toolset {
  let inner: readonly Tool[] | undefined;
  let outer: readonly Tool[] = [];
  const raise = (list: readonly Tool[]): readonly Tool[] => {
    if (list === inner) return outer;
    inner = list;
    const patterns = rules().flatMap((rule) => ('ask' in rule ? [toolNames(rule.ask)] : []));
    const isAsked = ({ name, effect }: Tool): boolean =>
      effect === 'read' && patterns.some((names) => names.some((each) => each.includes('*') || each === name));
    outer = list.some(isAsked) ? Object.freeze(list.map((tool) => (isAsked(tool) ? toAsked(tool) : tool))) : list;
    return outer;
  };
  return wrapToolset(tools, {
    list: () => raise(tools.list()),
    ...(tools.beginTurn !== undefined && {
      beginTurn: async (turn) => {
        const list = await tools.beginTurn?.(turn);
        return Array.isArray(list) ? raise(list) : undefined;
      },
    }),
  });
}

/** Whether a tool only reads, whatever a run sees of it. */
export function isRead(tool: Tool): boolean {
  return tool.effect === 'read' || raised.has(tool);
}

function toAsked(tool: Tool): Tool {
  const known = asked.get(tool) ?? Object.freeze({ ...tool, effect: 'idempotent' as const });
  asked.set(tool, known);
  raised.add(known);
  return known;
}

/** The names that stand before the parentheses of a rule. */
function toolNames(rule: string): readonly string[] {
  return (rule.trim().split('(', 1)[0] ?? '').split('|');
}

import type { Citation, RunEnd } from '@kernel/protocol';
import { costOf } from '@kernel/providers';
import { toResultJson } from '@kernel/protocol';
import { exitCodeOfRun } from '../../exit-code.ts';
import type { Invocation } from '../../invocation.ts';
import { pricesOf } from '../../options/price.ts';
import { sourcesOf } from '../terminal/sources.ts';
import type { ToolEnds, View, ViewedTools } from '../view.ts';

/** Creates the view of `--json`: one object at the end, and the notes of `notes` on stderr. */
export function jsonView(invocation: Invocation, tools: ViewedTools, notes: View): View {
  return {
    event: (event) => notes.event(event),
    end(end, calls) {
      invocation.output.writeJson({ ...summarize(end, calls, invocation), ...pendingField(end, tools) });
      notes.end(end, calls);
    },
  };
}

/** The object of `--json`, version 1. */
function summarize(end: RunEnd, calls: ToolEnds, invocation: Invocation): object {
  const { choice, host } = invocation;
  return {
    version: 1,
    exitCode: exitCodeOfRun(end, host.signal),
    reason: end.reason,
    ...('answer' in end && end.answer !== undefined ? { answer: end.answer } : {}),
    ...('output' in end && end.output !== undefined ? { output: end.output } : {}),
    ...('limit' in end ? { limit: end.limit } : {}),
    ...('error' in end ? { error: end.error } : {}),
    provider: choice.provider.name,
    model: choice.model,
    turns: end.turns,
    usage: end.usage,
    ...costField(end, invocation),
    ...sourcesField(end),
    toolCalls: calls.map(({ call, result, durationMs }) => ({
      name: call.name,
      arguments: call.arguments,
      durationMs: Math.round(durationMs),
      result: toResultJson(result),
    })),
  };
}

/** The calls that wait for an approval, each with the rule that would allow it or the one that asks. */
function pendingField(end: RunEnd, { waitsFor }: ViewedTools): { pending?: readonly object[] } {
  if (end.reason !== 'approval') return {};
  const pending = end.pending.map((call) => ({
    id: call.id,
    name: call.name,
    arguments: call.arguments,
    ...waitsFor(call),
  }));
  return { pending };
}

/** What the run cost, where the price is known. */
function costField({ usage }: RunEnd, { flags, loaded }: Invocation): { cost?: number } {
  const prices = pricesOf(flags, loaded.config.model.prices);
  return prices === undefined ? {} : { cost: costOf(usage, prices) };
}

/** The sources of the answer, if there are some. */
function sourcesField({ messages }: RunEnd): { sources?: readonly Citation[] } {
  const sources = sourcesOf(messages);
  return sources.length === 0 ? {} : { sources };
}

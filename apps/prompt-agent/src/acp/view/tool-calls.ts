import { sliceHead, sliceTail, terminalText, untilAborted, visibleLine } from '@kernel/internal';
import { type Tool, toModelText, type ToolCall, type ToolResult } from '@kernel/protocol';
import type {
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
} from '@agentclientprotocol/sdk/unstable';
import { isAgentRequest } from '../../approval/agent-requests.ts';
import { withoutCode } from '../../output/terminal/notes.ts';
import { type FileChange, locationsOf } from './file-changes.ts';
import { foundFiles } from './found-files.ts';
import { describeCall, type DescribedCall, describeName, rawInputOf } from './describe-call.ts';
import { fenced, textContent } from './text-content.ts';

/** The most characters of a result that an editor is sent. The model reads the whole. */
const MAX_RESULT = 100_000;
const MAX_PROGRESS = 4000;
/** The time between two updates of the same call's progress, in milliseconds. */
const PROGRESS_MS = 100;

/** A `line` of progress stands apart from what is before and after it; a `piece` goes on with the text of the one before. */
type ProgressKind = 'line' | 'piece';

interface ShownCall {
  status: ToolCallStatus;
  /** Whether its arguments were shown. */
  isDescribed: boolean;
  locations: readonly ToolCallLocation[];
  terminalId?: string;
  changes?: readonly FileChange[];
  /** Whether it is an agent or a program, which makes calls of its own. */
  isAround: boolean;
  progress: string;
  lastProgress: ProgressKind;
  progressAt: number;
  /** Sends the progress that came too soon after the last. */
  timer?: NodeJS.Timeout | undefined;
}

export interface ToolCallsOptions {
  readonly send: (update: SessionUpdate) => void;
  /** The folder that relative paths in arguments belong to. */
  readonly folder: string;
  readonly toolOf: (name: string) => Tool | undefined;
}

/** What is shown of a call. */
type About = Omit<DescribedCall, 'locations'> & Partial<DescribedCall> & { readonly rawInput?: unknown };

/** Shows the calls of a turn in an editor, each under one id from the first piece of it on. */
export function createToolCalls({ send, folder, toolOf }: ToolCallsOptions) {
  const calls = new Map<string, ShownCall>();

  const add = (id: string, name: string, isDescribed: boolean, about: About): ShownCall => {
    const call: ShownCall = {
      status: 'pending',
      isDescribed,
      locations: about.locations ?? [],
      isAround: false,
      progress: '',
      lastProgress: 'line',
      progressAt: 0,
    };
    calls.set(id, call);
    send({ sessionUpdate: 'tool_call', toolCallId: id, name, status: 'pending', ...about });
    return call;
  };
  const begin = (id: string, name: string): ShownCall =>
    calls.get(id) ?? add(id, name, false, describeName(name, toolOf(name)));
  const update = (id: string, changed: object): void =>
    send({ sessionUpdate: 'tool_call_update', toolCallId: id, ...changed });
  const describe = (id: string, { name, arguments: json }: Pick<ToolCall, 'name' | 'arguments'>): ShownCall => {
    const call = calls.get(id);
    if (call?.isDescribed === true) return call;
    const about = { ...describeCall(name, json, toolOf(name), folder), ...rawInputOf(json) };
    if (call === undefined) return add(id, name, true, about);
    call.isDescribed = true;
    call.locations = about.locations;
    update(id, about);
    return call;
  };

  const sendProgress = (id: string, shown: ShownCall): void => {
    clearTimeout(shown.timer);
    shown.timer = undefined;
    if (shown.status === 'completed' || shown.status === 'failed' || shown.terminalId !== undefined) return;
    shown.progressAt = performance.now();
    update(id, { content: [textContent(fenced(terminalText(shown.progress)))] });
  };

  /** The questions about calls whose events were shown, and those who wait for that, by the ids of the calls. */
  const shownQuestions = new Map<string, number>();
  const waiting = new Map<string, () => void>();

  return {
    /** Notes that all events before a question about a call were shown. */
    markQuestionShown(id: string): void {
      shownQuestions.set(id, (shownQuestions.get(id) ?? 0) + 1);
      waiting.get(id)?.();
    },
    /** Resolves once all events before a question about a call were shown: what the model said before it is read before it. Rejects with the reason of an abort. */
    async untilQuestionShown(id: string, signal: AbortSignal): Promise<void> {
      if ((shownQuestions.get(id) ?? 0) === 0)
        await untilAborted(new Promise<void>((resolve) => waiting.set(id, resolve)), signal);
      waiting.delete(id);
      shownQuestions.set(id, (shownQuestions.get(id) ?? 1) - 1);
    },
    /** Shows that a call is being made: its name is known, its arguments are not. */
    begin,
    /** Shows what a call does. */
    describe,
    /** Shows that a call runs, with the arguments that it runs with. */
    start(id: string, call: ToolCall): void {
      const shown = describe(id, call);
      if (shown.status !== 'pending') return;
      shown.status = 'in_progress';
      update(id, { status: 'in_progress' });
    },
    /** Shows the terminal in which the command of a call runs. */
    showTerminal(id: string, terminalId: string): void {
      const shown = calls.get(id);
      if (shown === undefined) return;
      shown.terminalId = terminalId;
      update(id, { content: contentOf(shown) });
    },
    /** Shows what a call changes: where, and in place of its result once it has ended. */
    setChanges(id: string, call: ToolCall, changes: readonly FileChange[]): void {
      const shown = describe(id, call);
      shown.changes = changes;
      if (changes.some(({ line }) => line !== undefined))
        update(id, { locations: locationsOf(changes, shown.locations) });
    },
    /** Whether a call has not ended. */
    isOpen(id: string): boolean {
      const { status } = calls.get(id) ?? {};
      return status === 'pending' || status === 'in_progress';
    },
    /** Notes that a call makes calls of its own. */
    markAround(id: string): void {
      const shown = calls.get(id);
      if (shown !== undefined) shown.isAround = true;
    },
    /** Shows what a call says of its progress: the last part of it, ten times a second at most. What a command writes has lines of its own. */
    addProgress(id: string, text: string, kind: ProgressKind = 'line'): void {
      const shown = calls.get(id);
      if (shown === undefined || shown.terminalId !== undefined) return;
      const isApart = shown.isAround && (kind === 'line' || shown.lastProgress === 'line');
      const gap = isApart && !/(?:^|\n)$/.test(shown.progress) ? '\n' : '';
      shown.progress = sliceTail(shown.progress + gap + text, MAX_PROGRESS);
      shown.lastProgress = kind;
      const wait = shown.progressAt + PROGRESS_MS - performance.now();
      if (wait <= 0) sendProgress(id, shown);
      else shown.timer ??= setTimeout(() => sendProgress(id, shown), wait).unref();
    },
    /** Shows how a call ended. */
    end(id: string, call: ToolCall, result: ToolResult): void {
      const shown = describe(id, call);
      const isFailed = result.isError === true;
      if (isFailed) delete shown.changes;
      shown.status = isFailed ? 'failed' : 'completed';
      const found = isFailed ? [] : foundFiles(call.name, textOf(result), folder);
      const raw = result.data === undefined ? undefined : JSON.stringify(result.data);
      update(id, {
        status: shown.status,
        content: contentOf(shown, {
          result: isAgentRequest(call.name) ? withoutDigest(result) : result,
          // The answer of another agent. Anything else has lines to keep, and nobody knows what would be made of it.
          isMarkdown: shown.isAround && call.name !== 'run_code' && !isFailed,
        }),
        ...(found.length > 0 && { locations: found }),
        ...(raw !== undefined && raw.length <= MAX_RESULT && { rawOutput: result.data }),
      });
    },
    /** Shows that calls that had not ended will not, but for some: their reply was withdrawn, or the turn ended. */
    failUnfinished(why: string, kept: ReadonlySet<string> = new Set()): void {
      for (const [id, shown] of calls) {
        if (shown.status === 'completed' || shown.status === 'failed' || kept.has(id)) continue;
        shown.status = 'failed';
        update(id, { status: 'failed', content: [textContent(why)] });
      }
    },
  };
}

export type ToolCalls = ReturnType<typeof createToolCalls>;

/** The id under which a call is shown, in visible characters: that of a call of another agent, or of a program, has the ids around it. */
export function callIdOf(path: readonly string[], id: string): string {
  return visibleLine([...path, id].join('/'));
}

/** The changes of a call as the diffs of an editor. */
export function diffsOf(changes: readonly FileChange[]): ToolCallContent[] {
  return changes.map(({ path, oldText, newText }) => ({ type: 'diff', path, oldText: oldText ?? null, newText }));
}

/** What an agent was allowed, without the digest by which the agent's run knows what was. */
function withoutDigest(result: ToolResult): ToolResult {
  return { ...result, forLLM: result.forLLM.replace(/ \([\w-]{22}\)\.$/, '.') };
}

/** What a person reads of a result. */
function textOf(result: ToolResult): string {
  const { forUser, silent } = result;
  return silent === true || forUser === undefined ? toModelText(result) : forUser;
}

function contentOf(
  { changes = [], terminalId }: ShownCall,
  end?: { readonly result: ToolResult; readonly isMarkdown: boolean },
): ToolCallContent[] {
  if (terminalId !== undefined) return [{ type: 'terminal', terminalId }];
  if (end === undefined || changes.length > 0) return diffsOf(changes);
  const { result, isMarkdown } = end;
  const { isError, media = [] } = result;
  const said = textOf(result);
  const text = terminalText(sliceHead(isError === true ? withoutCode(said) : said, MAX_RESULT));
  const images = media.flatMap(({ type, data, mimeType }): ToolCallContent[] =>
    type === 'image' && data !== undefined ? [{ type: 'content', content: { type: 'image', data, mimeType } }] : [],
  );
  return [...(text === '' ? [] : [textContent(isMarkdown ? text : fenced(text))]), ...images];
}

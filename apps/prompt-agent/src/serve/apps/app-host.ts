import { randomUUID } from 'node:crypto';
import { isObject, parseJson } from '@kernel/internal';
import type { McpApp, McpApps } from '@kernel/mcp';
import type { AgentEvent, Approve, PreparedCall, ToolCall, ToolResult, Toolset } from '@kernel/protocol';
import { decideOnCall } from '../../approval/with-approval.ts';
import type { AppListener } from './app-listener.ts';

/** What the page needs to show the apps of MCP servers. */
export interface AppHostOptions {
  readonly apps: McpApps;
  /** Applies the rules to a toolset. */
  readonly guard: (tools: Toolset) => Toolset;
  readonly approve: Approve;
  readonly listener: AppListener;
}

export type AppHost = ReturnType<typeof createAppHost>;

interface Shown {
  readonly app: McpApp;
  readonly call: ToolCall;
  readonly result: ToolResult;
}

interface OpenApp {
  readonly app: McpApp;
  readonly tools: Toolset;
  readonly nameOf: (tool: string) => string | undefined;
  calls: number;
  waiting: { readonly id: string; readonly call: PreparedCall } | undefined;
}

/** What an app gets as answer: a result, a question to the user, or why not. */
export type AppAnswer =
  | { readonly result: ReturnType<typeof toCallToolResult> }
  | { readonly question: { readonly id: string; readonly name: string; readonly arguments: string } }
  | { readonly refused: string };

const MAX_SHOWN = 200;
const MAX_OPEN = 100;
const MAX_CALLS = 4;
const WAITS = 'A call of this app waits for the user.';

/** Creates what opens the apps of the calls of a page, and runs the calls that they make: those of tools that their server shows to apps, each decided on as one of a model. */
export function createAppHost({ apps, guard, approve, listener }: AppHostOptions) {
  const shown = new Map<string, Shown>();
  const open = new Map<string, OpenApp>();

  async function withinLimit(
    of: OpenApp,
    run: () => Promise<ToolResult | { readonly waiting: PreparedCall }>,
  ): Promise<AppAnswer> {
    if (of.calls >= MAX_CALLS) return { refused: `At most ${MAX_CALLS} calls of an app run at once.` };
    of.calls += 1;
    try {
      const outcome = await run();
      if (!('waiting' in outcome)) return { result: toCallToolResult(outcome) };
      if (of.waiting !== undefined) return { refused: WAITS };
      const id = randomUUID();
      const { waiting } = outcome;
      of.waiting = { id, call: waiting };
      return { question: { id, name: waiting.tool.name, arguments: waiting.arguments } };
    } finally {
      of.calls -= 1;
    }
  }

  return {
    /** Notes the calls of a chat whose tool has an app. */
    async *note(chat: string, events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent> {
      for await (const event of events) {
        const app = event.type === 'tool-end' && event.result.isError !== true ? apps.find(event.call.name) : undefined;
        if (event.type === 'tool-end' && app !== undefined) {
          const { call, result } = event;
          addBounded(shown, `${chat}/${call.id}`, { app, call, result }, MAX_SHOWN);
        }
        yield event;
      }
    },
    /** Opens the app of a call; undefined if it has none. Rejects with a `KernelError` for a page that cannot be shown. */
    async open(chat: string, callId: string, signal: AbortSignal) {
      const found = shown.get(`${chat}/${callId}`);
      if (found === undefined) return undefined;
      const { app, call, result } = found;
      const page = await apps.read(app, { signal });
      const tools = apps.tools(app.server);
      const id = randomUUID();
      const nameOf = (tool: string): string | undefined => tools.nameOf(tool);
      addBounded(open, id, { app, tools: guard(tools), nameOf, calls: 0, waiting: undefined }, MAX_OPEN);
      const input = parseJson(call.arguments);
      return {
        id,
        url: listener.add(page),
        server: app.server,
        hosts: page.hosts,
        hasBorder: page.prefersBorder,
        tool: { name: app.tool, inputSchema: { type: 'object' } },
        input: isObject(input) ? input : {},
        result: toCallToolResult(result),
      };
    },
    /** Runs a call that an app makes, by the name of the tool on its server, or asks about it. */
    async call(id: string, name: string, input: unknown, signal: AbortSignal): Promise<AppAnswer> {
      const of = open.get(id);
      if (of === undefined) return { refused: 'This app is not open.' };
      const mounted = of.nameOf(name);
      if (mounted === undefined) return { refused: `The server shows apps no tool "${name}".` };
      if (of.waiting !== undefined) return { refused: WAITS };
      const json = JSON.stringify(isObject(input) ? input : {});
      const call = { type: 'tool-call', id: randomUUID(), name: mounted, arguments: json } as const;
      return withinLimit(of, async () => {
        const decided = await decideOnCall(of.tools, call, approve, { signal });
        return 'run' in decided ? decided.run({ signal }) : decided;
      });
    },
    /** Runs the call that waits, or not. */
    async decide(id: string, question: string, isAllowed: boolean, signal: AbortSignal): Promise<AppAnswer> {
      const of = open.get(id);
      const waiting = of?.waiting;
      if (of === undefined || waiting?.id !== question) return { refused: 'No call of this app waits for a decision.' };
      of.waiting = undefined;
      if (!isAllowed) return { refused: 'The user said no.' };
      return withinLimit(of, () => waiting.call.run({ signal }));
    },
  };
}

/** Adds an entry, and drops the oldest beyond the limit. */
function addBounded<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}

/** A result as an app gets it. What the server sent beside text, media and structured content is not in it. */
function toCallToolResult({ data, forLLM, isError, media = [] }: ToolResult) {
  const blocks = media.flatMap(({ data: base64, mimeType, type }) =>
    base64 === undefined || type === 'file' ? [] : [{ type, mimeType, data: base64 }],
  );
  return {
    content: [{ type: 'text', text: forLLM } as const, ...blocks],
    ...(isObject(data) ? { structuredContent: data } : {}),
    ...(isError === true ? { isError } : {}),
  };
}

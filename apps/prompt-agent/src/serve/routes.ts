import { timingSafeEqual } from 'node:crypto';
import { runSession } from '@kernel/agent';
import { type ClientField, decisionsFrom, toResponse } from '@kernel/agent/web';
import { isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { OpenAgent } from '../agent/open-agent.ts';
import { readBody } from '../files/read-file.ts';
import { redactEvents } from '../output/redact-events.ts';
import { NOT_ISOLATED } from '../questions/show-call.ts';
import type { AppHost } from './apps/app-host.ts';
import { answerAppRequest } from './apps/app-routes.ts';
import { APPS_SCRIPT } from './apps/apps-script.ts';
import { createChats, noteWaiting, redactResponse, whenEnded } from './chats.ts';
import { SCRIPT } from './page-script.ts';
import { STYLE } from './page-style.ts';
import type { ServerQuestions } from './server-questions.ts';

export interface RouteOptions {
  readonly options: OpenAgent['options'];
  /** The credential of the provider, which no event shows. */
  readonly secret: string | undefined;
  readonly describe: (name: string, json: string) => Promise<readonly string[]>;
  /** What MCP servers ask meanwhile. */
  readonly questions?: ServerQuestions | undefined;
  readonly token: string;
  /** Shows the apps of MCP servers; undefined without any. */
  readonly apps?: AppHost | undefined;
  /** The origin of the pages of apps. */
  readonly appsOrigin?: string | undefined;
  /** The values of `Host` that are this server: another name is a web site that points to this machine. */
  readonly hosts: readonly string[];
}

const MAX_BODY_BYTES = 1024 * 1024;
const SHOWN: readonly ClientField[] = ['arguments', 'results', 'progress', 'reasoning', 'usage', 'citations', 'errors'];
/** The page loads nothing from anywhere else, but for the pages of apps in frames, and no other site can embed it. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/**
 * Creates the routes: `GET /` is the page; `POST /chats/ID` sends a message and answers with the events of the run,
 * `POST /chats/ID/decisions` decides on what waits; `POST /chats/ID/calls` returns the waiting call of a digest as the
 * lines of its question, with nothing redacted; `POST /answers` answers what an MCP server asks; `/apps` is for the
 * apps of MCP servers. A chat lives in memory and answers one message at a time: a second message, and a decision when
 * no call waits, are refused with status 409. Errors are JSON: `{ "error": { "status", "message" } }`.
 */
export function createRoutes({
  options,
  secret,
  describe,
  questions,
  token,
  apps,
  appsOrigin,
  hosts,
}: RouteOptions): (request: Request) => Promise<Response> {
  const chatOf = createChats();

  const runIn = async (id: string, isDecision: boolean, request: Request): Promise<Response> => {
    const body = await readBody(request, MAX_BODY_BYTES);
    if (!isDecision && body.trim() === '') return failed(400, 'The message is empty.');
    const approve = isDecision ? decisionsFrom(JSON.parse(body), options.approve) : options.approve;
    const chat = chatOf(id);
    if (chat.isBusy)
      return failed(409, 'This chat is still answering. Wait for the end of its answer, or use another chat.');
    if (isDecision && chat.pending.length === 0) return failed(409, 'No call of this chat waits for a decision.');
    chat.isBusy = true;
    const messages = isDecision ? undefined : [{ role: 'user', content: body } as const];
    const { session } = chat;
    const events = runSession({ ...options, session, ...(messages && { messages }), approve, stream: true });
    const noted = noteWaiting(events, chat);
    const shown = redactEvents(apps?.note(id, noted) ?? noted, secret);
    const response = redactResponse(toResponse(shown, { show: SHOWN }), secret);
    // What a server asks is shown as it is.
    return whenEnded(questions?.into(response) ?? response, () => {
      chat.isBusy = false;
    });
  };

  const describeLines = async (name: string, json: string) =>
    (await describe(name, json)).map((text) => ({ text, isWarning: text === NOT_ISOLATED }));

  const linesOf = async (id: string, request: Request): Promise<Response> => {
    const asked: unknown = JSON.parse(await readBody(request, MAX_BODY_BYTES));
    const { digest } = isObject(asked) ? asked : {};
    const call = chatOf(id).pending.find((each) => each.digest === digest);
    if (call === undefined) return failed(409, 'This call does not wait for a decision.');
    return Response.json({ lines: await describeLines(call.name, call.arguments) });
  };

  const forApps = async (host: AppHost, path: string, request: Request): Promise<Response> => {
    const body: unknown = JSON.parse(await readBody(request, MAX_BODY_BYTES));
    const found = await answerAppRequest(host, { path, body, signal: request.signal }, describeLines);
    if (found === undefined) return failed(404, 'There is nothing here.');
    // A question shows what would run.
    return 'question' in found ? Response.json(found) : redactResponse(Response.json(found), secret);
  };

  const takeAnswer = async (request: Request): Promise<Response> => {
    const problem = questions?.answer(JSON.parse(await readBody(request, MAX_BODY_BYTES)));
    if (problem === 'gone') return failed(409, 'This question is not asked any more.');
    return problem === undefined ? Response.json({}) : failed(400, problem);
  };

  return async (request) => {
    const { pathname, host } = new URL(request.url);
    if (!hosts.includes(request.headers.get('host') ?? host)) return failed(403, 'This host is not served.');
    if (request.method === 'GET' && pathname === '/')
      return new Response(pageOf(apps !== undefined), {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': appsOrigin === undefined ? POLICY : `${POLICY}; frame-src ${appsOrigin}`,
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        },
      });
    const [, id = '', what] = /^\/chats\/([\w-]{1,64})(?:\/(decisions|calls))?$/.exec(pathname) ?? [];
    const isAnswer = questions !== undefined && pathname === '/answers';
    const appPath = pathname === '/apps' || pathname.startsWith('/apps/') ? pathname.slice('/apps'.length) : undefined;
    const isApp = apps !== undefined && appPath !== undefined;
    if ((id === '' && !isAnswer && !isApp) || request.method !== 'POST') return failed(404, 'There is nothing here.');
    if (!isEqual(request.headers.get('authorization') ?? '', `Bearer ${token}`))
      return failed(401, 'Open the address that the program printed.');
    try {
      if (isAnswer) return await takeAnswer(request);
      if (isApp) return await forApps(apps, appPath, request);
      return what === 'calls' ? await linesOf(id, request) : await runIn(id, what === 'decisions', request);
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof RangeError || KernelError.is(error))
        return failed(400, error.message);
      throw error;
    }
  };
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function failed(status: number, message: string): Response {
  return Response.json({ error: { status, message } }, { status });
}

/** The page of `serve http`: one file, which loads nothing else. What a model or a tool wrote is shown as text, never as HTML. */
function pageOf(hasApps: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>prompt-agent</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>prompt-agent</h1><p id="status" role="status">ready</p></header>
<main id="log" aria-live="polite" aria-label="Conversation"></main>
<form id="form">
<label for="text">Message</label>
<textarea id="text" rows="2" autofocus placeholder="Ask something. Enter sends, Shift+Enter begins a line."></textarea>
<button id="send">Send</button>
<button id="stop" type="button" hidden>Stop</button>
</form>
<script type="module">${SCRIPT}${hasApps ? APPS_SCRIPT : ''}</script>
</body>
</html>
`;
}

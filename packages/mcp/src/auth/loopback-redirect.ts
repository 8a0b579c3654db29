import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onAbort, sha256, untilAborted } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** Takes a person to an authorization server and back. */
export interface Redirect {
  /** Gets ready for one answer. */
  open(signal: AbortSignal): Promise<OpenRedirect>;
}

/** One way back, for one answer. */
export interface OpenRedirect {
  /** The redirect URI: where the authorization server sends the person's browser. */
  readonly url: string;
  /**
   * Has the person open `url`, and resolves with the answer that has this `state`. `isExpected` tells whether an answer
   * is from the issuer that was asked: a person who got another one is not shown that they have signed in.
   */
  ask(url: URL, state: string, isExpected?: (answer: RedirectAnswer) => boolean): Promise<RedirectAnswer>;
  /** Ends the way back. May be called twice. */
  close(): Promise<void>;
}

/** What an authorization server answers. None of it can be trusted before `iss` was checked. */
export interface RedirectAnswer {
  /** The authorization code. */
  readonly code?: string | undefined;
  /** Why there is none, in a word such as `access_denied`. */
  readonly error?: string | undefined;
  /** The issuer that answers. */
  readonly iss?: string | undefined;
}

/** How a person gets to the authorization server. */
export interface LoopbackRedirectOptions {
  /**
   * Is told the address to open: the program opens a browser, or prints it. Where the browser runs on another machine, the person copies the address at
   * which it ends, which that browser cannot load, and the program passes it to `paste`; a code alone is enough for servers that name no issuer.
   * `paste` throws for anything else, and can then be called again. The signal aborts when the answer is no longer waited for.
   */
  readonly onUrl: (url: URL, paste: (text: string) => void, signal: AbortSignal) => void | Promise<void>;
  /** How long the person has. Default 300,000 (five minutes). */
  readonly timeoutMs?: number | undefined;
  /** The port to listen on, for a client that is registered with one. Default: any that is free. */
  readonly port?: number | undefined;
}

const PATH = '/callback';
const TIMEOUT_MS = 5 * 60_000;
/** The longest text that is looked at as a pasted answer. */
const MAX_PASTED = 16_384;

/**
 * Listens on 127.0.0.1 for one redirect of an authorization server. What does not have the state of the request is refused and waited past; after the
 * answer, a timeout or an abort nothing listens any more.
 */
export function loopbackRedirect(options: LoopbackRedirectOptions): Redirect {
  const { onUrl, timeoutMs = TIMEOUT_MS, port = 0 } = options;
  return {
    async open(signal): Promise<OpenRedirect> {
      let onRequest = notFound;
      const server = createServer({ maxHeaderSize: 32_768, requestTimeout: 10_000 }, (request, response) =>
        onRequest(request, response),
      );
      let closing: Promise<void> | undefined;
      const close = (): Promise<void> =>
        (closing ??= new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }));
      await listen(server, port);
      const removeClose = onAbort(signal, () => void close());
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}${PATH}`;
      const ask: OpenRedirect['ask'] = async (target, state, isExpected = () => true) => {
        const over = new AbortController();
        const timer = setTimeout(() => over.abort(timeoutError(timeoutMs)), timeoutMs);
        const removeOver = onAbort(signal, () => over.abort(signal.reason));
        try {
          const answered = new Promise<RedirectAnswer>((resolve, reject) => {
            onRequest = (request, response) => {
              const answer = answerOf(request, url, state);
              if (answer === undefined) return show(response, request.url?.startsWith(PATH) === true ? 400 : 404);
              // Once the page is there: then nothing is listened to any more.
              response.once('close', () => resolve(answer));
              show(response, !isExpected(answer) ? 400 : answer.code === undefined ? 403 : 200);
            };
            const paste = (text: string): void => resolve(pastedAnswer(text, url, state));
            void Promise.resolve(onUrl(target, paste, over.signal)).catch(reject);
          });
          return await untilAborted(answered, over.signal);
        } finally {
          clearTimeout(timer);
          removeOver();
          over.abort(new Error('the answer is no longer waited for'));
        }
      };
      return {
        url,
        ask,
        close: () => {
          removeClose();
          return close();
        },
      };
    },
  };
}

function notFound(_request: IncomingMessage, response: ServerResponse): void {
  show(response, 404);
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new KernelError('CONFIG_INVALID', `Port ${port} of 127.0.0.1 could not be listened on: ${error.message}.`, {
          hint: 'Close the program that uses it, or leave `port` out.',
          cause: error,
        }),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** The answer that a request brings; undefined for one that nobody has asked for. */
function answerOf(
  { method, url: path = '', headers }: IncomingMessage,
  url: string,
  state: string,
): RedirectAnswer | undefined {
  const { host, pathname } = new URL(url);
  // A page of another name may have that name point here.
  if (method !== 'GET' || headers.host !== host || !URL.canParse(path, url)) return undefined;
  const target = new URL(path, url);
  return target.host === host && target.pathname === pathname ? readAnswer(target.searchParams, state) : undefined;
}

function pastedAnswer(text: string, url: string, state: string): RedirectAnswer {
  const pasted = text.trim();
  if (pasted.length <= MAX_PASTED && /^https?:/i.test(pasted) && URL.canParse(pasted)) {
    const target = new URL(pasted);
    const answer = target.pathname === new URL(url).pathname ? readAnswer(target.searchParams, state) : undefined;
    if (answer !== undefined) return answer;
  } else if (pasted.length <= MAX_PASTED && /^[\x21-\x7e]+$/.test(pasted)) return { code: pasted };
  throw new KernelError('CONFIG_INVALID', 'What was pasted is not the answer to this sign-in.', {
    hint: `Paste the whole address at which the browser has ended; it begins with ${url}.`,
  });
}

function timeoutError(timeoutMs: number): KernelError {
  return new KernelError('TOOL_UNAVAILABLE', `Nobody has signed in within ${timeoutMs} ms (timeoutMs).`, {
    hint: 'Try again, and finish in the browser; raise timeoutMs if that takes longer.',
    retryable: true,
  });
}

const PAGES = {
  200: ['Signed in', 'You have signed in. You can close this window.'],
  400: [
    'Not signed in',
    'This is not the answer to a sign-in that was started here. Go back to the program and start again.',
  ],
  403: ['Not signed in', 'The sign-in was refused. You can close this window; the program says more.'],
  404: ['Not found', 'There is nothing here.'],
} as const;

/** Shows a page of fixed text: nothing of the request is in it. */
function show(response: ServerResponse, status: keyof typeof PAGES): void {
  const [title, text] = PAGES[status];
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`,
    );
}

/** Reads the answer in the query of a redirect; undefined if it belongs to another request, or is none. */
function readAnswer(query: URLSearchParams, state: string): RedirectAnswer | undefined {
  const code = single(query, 'code');
  const error = single(query, 'error');
  if (!isSameText(single(query, 'state') ?? '', state)) return undefined;
  if ((code === undefined) === (error === undefined)) return undefined;
  return { code, error, iss: single(query, 'iss') };
}

/** Compares in a time that tells nothing of where two texts differ. */
function isSameText(first: string, second: string): boolean {
  return timingSafeEqual(sha256(first), sha256(second));
}

function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  return others.length === 0 && value !== '' ? value : undefined;
}

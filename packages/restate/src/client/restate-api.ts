import { KernelError } from '@kernel/protocol';

/** How to reach Restate. */
export interface RestateApiOptions {
  /** The address of the ingress, such as `http://127.0.0.1:8080`. */
  readonly ingressUrl: string;
  /** The address of the admin API, such as `http://127.0.0.1:9070`. */
  readonly adminUrl: string;
  /** Headers for every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `fetch` to use. Default: that of the runtime. */
  readonly fetch?: typeof fetch | undefined;
}

/** The ingress and the admin API of Restate. Every method rejects with `STORE_FAILED` if Restate cannot be reached or refuses, and with the reason of `signal`. */
export interface RestateApi {
  /** Calls a handler and returns its result. */
  call(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>;
  /** Starts a handler and returns Restate's response. */
  send(path: string, body: unknown, delayMs: number): Promise<unknown>;
  /** Returns whether a workflow was started, and whether it has finished. Looks it up by its key, unlike `query`. */
  workflowState(workflow: string, key: string): Promise<'missing' | 'open' | 'over'>;
  /** Performs an action on an invocation. Resolves to false if it does not exist or its state does not allow the action. */
  patchInvocation(invocationId: string, action: string): Promise<boolean>;
  /** Runs an SQL query and returns its rows. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const MAX_ERROR = 500;
/** Restate's HTTP status for a workflow that has no output yet. */
const NOT_READY = 470;

/** Creates a client of both APIs. Sends nothing yet. */
export function createRestateApi({
  ingressUrl,
  adminUrl,
  headers = {},
  fetch: send = fetch,
}: RestateApiOptions): RestateApi {
  async function request(base: string, path: string, init: RequestInit): Promise<Response> {
    try {
      return await send(`${base.endsWith('/') ? base.slice(0, -1) : base}${path}`, {
        ...init,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      });
    } catch (error) {
      if (init.signal?.aborted === true) throw init.signal.reason;
      throw new KernelError('STORE_FAILED', `Restate could not be reached at ${origin(base)}.`, {
        hint: 'Check ingressUrl and adminUrl, and that the server is running.',
        retryable: true,
        cause: error,
      });
    }
  }

  async function json(base: string, path: string, init: RequestInit): Promise<unknown> {
    const response = await request(base, path, init);
    const text = await response.text();
    if (!response.ok) throw refusal(path, response.status, text);
    const value: unknown = text === '' ? undefined : JSON.parse(text);
    return value;
  }

  return {
    call: (path, body, signal) =>
      json(ingressUrl, path, { ...post(body), ...(signal === undefined ? {} : { signal }) }),
    send: (path, body, delayMs) =>
      json(ingressUrl, `${path}/send${delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : ''}`, post(body)),
    async workflowState(workflow, key) {
      const path = `/restate/workflow/${encodeURIComponent(workflow)}/${encodeURIComponent(key)}/output`;
      const response = await request(ingressUrl, path, { method: 'GET' });
      await response.body?.cancel();
      if (response.status === 404) return 'missing';
      return response.status === NOT_READY ? 'open' : 'over';
    },
    async patchInvocation(invocationId, action) {
      const path = `/invocations/${encodeURIComponent(invocationId)}/${action}`;
      const response = await request(adminUrl, path, { method: 'PATCH' });
      const text = await response.text();
      if (response.ok) return true;
      if (response.status === 404 || response.status === 409) return false;
      throw refusal(path, response.status, text);
    },
    async query(sql) {
      const answer = await json(adminUrl, '/query', post({ query: sql }));
      const rows: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'rows') : undefined;
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the format of Restate's responses
      return Array.isArray(rows) ? (rows as Readonly<Record<string, unknown>>[]) : [];
    },
  };
}

function post(body: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(body ?? null) };
}

function refusal(path: string, status: number, text: string): KernelError {
  return new KernelError('STORE_FAILED', `Restate answered ${path} with ${status}: ${text.slice(0, MAX_ERROR)}`, {
    ...(status === 404 ? { hint: 'Is a deployment with this agent registered?' } : {}),
    retryable: status >= 500 || status === 429,
    data: { status },
  });
}

/** The address without any secrets in it. */
function origin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an invalid address';
}

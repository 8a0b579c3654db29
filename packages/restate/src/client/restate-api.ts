import { delay, equalJson, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

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

/**
 * The ingress and the admin API of Restate. Every method rejects with `STORE_FAILED` if Restate cannot be reached or refuses, and with the reason of
 * `signal`. What only reads is repeated for 10 s while Restate cannot be reached or answers with a server error, as it does while it restarts.
 */
export type RestateApi = ReturnType<typeof createRestateApi>;

interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly text: string;
}

const MAX_ERROR = 500;
/** For how long a read is repeated: a server that was killed answers again within seconds, and a cluster has another leader. */
const READ_MS = 10_000;
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1000;
/** While its partitions catch up after a restart, Restate answers queries without what they have not read yet. */
const SETTLE_MS = 500;
const SETTLE_ROUNDS = 4;
/** Restate's HTTP status for a workflow that has no output yet. */
const NOT_READY = 470;

export function createRestateApi({ ingressUrl, adminUrl, headers = {}, fetch: send = fetch }: RestateApiOptions) {
  async function request(base: string, path: string, init: RequestInit): Promise<Answer> {
    try {
      const response = await send(`${base.endsWith('/') ? base.slice(0, -1) : base}${path}`, {
        ...init,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      });
      return { status: response.status, ok: response.ok, text: await response.text() };
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
    const { status, ok, text } = await request(base, path, init);
    if (!ok) throw refusal(path, status, text);
    if (text === '') return undefined;
    try {
      const value: unknown = JSON.parse(text);
      return value;
    } catch (error) {
      throw new KernelError('STORE_FAILED', `The response of ${origin(base)} to ${path} is not valid JSON.`, {
        hint: 'Check that ingressUrl and adminUrl are those of Restate.',
        cause: error,
      });
    }
  }

  return {
    call: (path: string, body: unknown): Promise<unknown> => json(ingressUrl, path, post(body)),
    read: (path: string, body: unknown, signal?: AbortSignal): Promise<unknown> =>
      retryRead(() => json(ingressUrl, path, { ...post(body), ...(signal === undefined ? {} : { signal }) }), {
        signal,
      }),
    send: (path: string, body: unknown, delayMs: number): Promise<unknown> =>
      json(ingressUrl, `${path}/send${delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : ''}`, post(body)),
    /** Returns whether a workflow was started, and whether it has finished. Looks it up by its key, unlike `query`. */
    async workflowState(workflow: string, key: string): Promise<'missing' | 'open' | 'over'> {
      const path = `/restate/workflow/${encodeURIComponent(workflow)}/${encodeURIComponent(key)}/output`;
      return retryRead(async () => {
        const { status, text } = await request(ingressUrl, path, { method: 'GET' });
        if (isRetryable(status)) throw refusal(path, status, text);
        if (status === 404) return 'missing';
        return status === NOT_READY ? 'open' : 'over';
      });
    },
    /** Performs an action on an invocation. Resolves to false if it does not exist or its state does not allow the action. */
    async patchInvocation(invocationId: string, action: string): Promise<boolean> {
      const path = `/invocations/${encodeURIComponent(invocationId)}/${action}`;
      const { status, ok, text } = await request(adminUrl, path, { method: 'PATCH' });
      if (ok) return true;
      if (status === 404 || status === 409) return false;
      throw refusal(path, status, text);
    },
    async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
      const ask = (): Promise<unknown> => json(adminUrl, '/query', post({ query: sql }));
      let isRestarted = false;
      let answer = await retryRead(ask, { onRetry: () => void (isRestarted = true) });
      for (let round = 0; isRestarted && round < SETTLE_ROUNDS; round += 1) {
        // One after the other: an answer counts if the next one is the same.
        await delay(SETTLE_MS);
        const next = await retryRead(ask);
        isRestarted = !equalJson(answer, next);
        answer = next;
      }
      const rows: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'rows') : undefined;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the format of Restate's responses
      return Array.isArray(rows) ? (rows as Readonly<Record<string, unknown>>[]) : [];
    },
  };
}

async function retryRead<T>(
  read: () => Promise<T>,
  { signal, onRetry }: { readonly signal?: AbortSignal | undefined; readonly onRetry?: () => void } = {},
): Promise<T> {
  let deadline: number | undefined; // counts from the first failure: a request may have waited for long before it
  for (let waitMs = FIRST_DELAY_MS; ; waitMs = Math.min(2 * waitMs, MAX_DELAY_MS)) {
    try {
      return await read();
    } catch (error) {
      deadline ??= performance.now() + READ_MS;
      const isLast = performance.now() + waitMs > deadline;
      if (!(error instanceof KernelError) || !error.retryable || isLast) throw error;
    }
    await delay(waitMs, signal);
    onRetry?.();
  }
}

function isRetryable(status: number): boolean {
  return status >= 500 || status === 429;
}

function post(body: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(body ?? null) };
}

function refusal(path: string, status: number, text: string): KernelError {
  return new KernelError('STORE_FAILED', `Restate answered ${path} with ${status}: ${sliceHead(text, MAX_ERROR)}`, {
    ...(status === 404 ? { hint: 'Is a deployment with this agent registered?' } : {}),
    retryable: isRetryable(status),
    data: { status },
  });
}

/** The address without any secrets in it. */
function origin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an invalid address';
}

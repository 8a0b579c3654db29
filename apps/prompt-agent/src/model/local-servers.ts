/** A model server on this machine that has answered. */
export interface LocalServer {
  /** The name of the program, for people. */
  readonly label: string;
  /** The provider that speaks its API. */
  readonly provider: string;
  /** Its address. */
  readonly baseUrl: string;
  /** The names of its models; never empty. */
  readonly models: readonly string[];
}

/** Servers that speak chat completions, at their default ports. */
const WELL_KNOWN: readonly Omit<LocalServer, 'models'>[] = [
  { label: 'Ollama', provider: 'ollama', baseUrl: 'http://127.0.0.1:11434' },
  { label: 'LM Studio', provider: 'openai', baseUrl: 'http://127.0.0.1:1234/v1' },
  { label: 'llama.cpp', provider: 'openai', baseUrl: 'http://127.0.0.1:8080/v1' },
  { label: 'vLLM', provider: 'openai', baseUrl: 'http://127.0.0.1:8000/v1' },
];

const PROBE_MS = 300;
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/**
 * Looks for a model server on loopback, at all ports at once, for 300 ms. The first of the list that has a model wins.
 * `PROMPT_AGENT_SERVERS` (addresses separated by commas, may be empty) replaces the list.
 */
export async function findLocalServer(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<LocalServer | undefined> {
  const listed = env['PROMPT_AGENT_SERVERS'];
  const candidates =
    listed === undefined
      ? WELL_KNOWN
      : listed
          .split(',')
          .flatMap((baseUrl) =>
            baseUrl.trim() === '' ? [] : [{ label: 'model server', provider: 'openai', baseUrl: baseUrl.trim() }],
          );
  if (candidates.length === 0) return undefined;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
  const found = await Promise.all(
    candidates.map(async (candidate) => ({ ...candidate, models: await listModels(candidate.baseUrl, deadline) })),
  );
  signal.throwIfAborted();
  return found.find(({ models }) => models.length > 0);
}

/** Returns the models of a server, except those for embeddings; empty if it does not answer correctly in time. */
export async function listModels(baseUrl: string, signal: AbortSignal): Promise<readonly string[]> {
  const root = baseUrl.replace(/(?<!\/)\/+$/, '').replace(/(?<!\/v1)$/, '/v1');
  try {
    const response = await fetch(`${root}/models`, { signal, redirect: 'error' });
    const body: unknown = response.ok ? JSON.parse(await readText(response)) : undefined;
    const data: unknown = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
    const ids = Array.isArray(data) ? data.map((entry: unknown) => modelId(entry)) : [];
    return ids.filter((id) => id !== undefined && !/embed|bge-|rerank|whisper/i.test(id)).map(String);
  } catch {
    return [];
  }
}

/** Reads a body of at most `MAX_LIST_BYTES`. Throws for a longer one, of which no more is read. */
async function readText({ body }: { readonly body: AsyncIterable<Uint8Array> | null }): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MAX_LIST_BYTES) throw new Error('The list of models is too long.');
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

function modelId(entry: unknown): string | undefined {
  return typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string'
    ? entry.id
    : undefined;
}

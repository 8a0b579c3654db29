import { connect } from 'node:net';
import { isLoopback } from '@kernel/internal';
import { readBody } from '../files/read-file.ts';
import { addressFor } from './vendors.ts';

interface LocalServer {
  readonly from: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

type Candidate = Omit<LocalServer, 'models'>;
type Environment = Readonly<Record<string, string | undefined>>;

export const OLLAMA_URL = 'http://127.0.0.1:11434';

/** Servers that speak chat completions, at their default ports; Ollama where its own variable says. */
function wellKnown(env: Environment): readonly Candidate[] {
  const ollama = addressFor('ollama', env);
  return [
    ollama === undefined
      ? { from: 'Ollama on this machine', provider: 'ollama', baseUrl: OLLAMA_URL }
      : { from: 'OLLAMA_HOST', provider: 'ollama', baseUrl: ollama },
    { from: 'LM Studio on this machine', provider: 'openai', baseUrl: 'http://127.0.0.1:1234/v1' },
    { from: 'llama.cpp on this machine', provider: 'openai', baseUrl: 'http://127.0.0.1:8080/v1' },
    { from: 'vLLM on this machine', provider: 'openai', baseUrl: 'http://127.0.0.1:8000/v1' },
  ];
}

function listedServers(list: string): readonly Candidate[] {
  const addresses = list.split(',').map((address) => address.trim());
  return addresses
    .filter((address) => address !== '')
    .map((baseUrl) => ({ from: 'model server on this machine', provider: 'openai', baseUrl }));
}

export function localServers(env: Environment): readonly Candidate[] {
  const listed = env['PROMPT_AGENT_SERVERS'];
  return listed === undefined ? wellKnown(env) : listedServers(listed);
}

const PROBE_MS = 300;
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/**
 * Looks for a model server on loopback, and for Ollama at `OLLAMA_HOST`, at all addresses at once, for 300 ms. The first of the list that has a model
 * wins. `PROMPT_AGENT_SERVERS` (addresses separated by commas, may be empty) replaces the list.
 */
export async function findLocalServer(env: Environment, signal: AbortSignal): Promise<LocalServer | undefined> {
  const candidates = localServers(env);
  if (candidates.length === 0) return undefined;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
  const found = await Promise.all(
    candidates.map(async (candidate) => ({
      ...candidate,
      models: (await askForModels(candidate.baseUrl, deadline)) ?? [],
    })),
  );
  signal.throwIfAborted();
  return found.find(({ models }) => models.length > 0);
}

/** Returns the models of a server, except those for embeddings; `undefined` if it does not answer correctly in time. */
export async function askForModels(baseUrl: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const root = baseUrl.replace(/(?<!\/)\/+$/, '').replace(/(?<!\/v1)$/, '/v1');
  try {
    // Nobody listens at most of these ports, and the first use of `fetch` loads all of Node's HTTP.
    const url = new URL(root);
    if (isLoopback(url.hostname) && !(await isListening(url, signal))) return undefined;
    const response = await fetch(`${root}/models`, { signal, redirect: 'error' });
    if (!response.ok) return undefined;
    const body: unknown = JSON.parse(await readBody(response, MAX_LIST_BYTES));
    const data: unknown = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
    const ids = Array.isArray(data) ? data.map((entry: unknown) => modelId(entry)) : [];
    return ids.filter((id) => id !== undefined && !/embed|bge-|rerank|whisper/i.test(id)).map(String);
  } catch {
    return undefined;
  }
}

function modelId(entry: unknown): string | undefined {
  return typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string'
    ? entry.id
    : undefined;
}

/** Whether a server accepts connections at the host and port of an address; false as soon as the signal aborts. Sends nothing. */
function isListening({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      signal,
    });
    socket.on('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
  });
}

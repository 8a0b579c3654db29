import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startWireServer, type RecordedRequest, type WireReply } from '@kernel/testing';
import type { Addresses } from './tool-loop.ts';

const CALL: WireReply = {
  text: 'Let me look.',
  pieces: 3,
  calls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Lisbon' } }],
};
const ANSWER: WireReply = { text: 'It is 31 °C, says Grüße 🌍.', pieces: 4 };

/** Model servers for the program, which may run any number of times. */
export interface LoopServers {
  readonly addresses: Addresses;
  /** Whether requests came from the client of `@kernel/providers` itself, and whether from a `fetch`, since the last look. */
  takeClients(): { readonly own: boolean; readonly fetch: boolean };
  close(): Promise<void>;
}

/** Starts a server for each wire. The model asks for the weather, and answers once it has a result. */
export async function startLoopServers(): Promise<LoopServers> {
  const replies = ({ body }: RecordedRequest): WireReply => (JSON.stringify(body).includes('31 °C') ? ANSWER : CALL);
  const [openai, anthropic] = await Promise.all([
    startWireServer({ wire: 'openai', replies }),
    startWireServer({ wire: 'anthropic', replies }),
  ]);
  const seen = new Set<RecordedRequest>();
  return {
    takeClients() {
      const requests = [openai, anthropic].flatMap((server) => server.requests);
      const fresh = requests.filter((request) => !seen.has(request));
      for (const request of fresh) seen.add(request);
      const isOwn = new Set(fresh.map(({ headers }) => headers['user-agent'] === 'kernel-providers'));
      return { own: isOwn.has(true), fetch: isOwn.has(false) };
    },
    addresses: { openai: openai.baseUrl, anthropic: anthropic.baseUrl },
    close: async () => void (await Promise.all([openai.close(), anthropic.close()])),
  };
}

/** A page and, under `/openai` and `/anthropic` of its origin, the model servers: as an application's own server stands before them. */
export async function startPageServer(script: string, addresses: Addresses) {
  const server = createServer((request, response) => {
    const [, name = '', ...rest] = (request.url ?? '').split('/');
    const address = name === 'openai' || name === 'anthropic' ? addresses[name] : undefined;
    if (address === undefined) {
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(`<!doctype html><script type="module">${script}</script>`);
      return;
    }
    const { method = 'GET', headers } = request;
    const url = `${address}/${rest.join('/')}`;
    request.pipe(
      forward(url, { method, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(response);
      }).on('error', () => response.destroy()),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has this address
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    addresses: { openai: `${url}/openai`, anthropic: `${url}/anthropic` },
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

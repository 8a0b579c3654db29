// What stands before the processes: each request goes to the next one, but those for tasks go by who sends them. It looks at headers alone.
import { createHash } from 'node:crypto';
import { createServer, request as send } from 'node:http';

/** Distributes requests over addresses, which may change. */
export async function startLoadBalancer(urls: readonly string[]) {
  let next = 0;
  const server = createServer((request, response) => {
    const { 'mcp-method': method = '', 'mcp-name': name, authorization = '' } = request.headers;
    const isOfTask = name === 'report' || String(method).startsWith('tasks/') || method === 'subscriptions/listen';
    const number = isOfTask ? createHash('sha256').update(authorization).digest().readUInt16LE() : next++;
    const url = urls[number % urls.length] ?? '';
    const forwarded = send(url, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.writeHead(502).end());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

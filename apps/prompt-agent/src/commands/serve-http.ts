import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { type OpenAgent, openAgent } from '../agent/open-agent.ts';
import type { CommandCall } from '../command-call.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { openModel } from '../model/open-model.ts';
import { showCall, withOrigin } from '../questions/show-call.ts';
import { createAppHost } from '../serve/apps/app-host.ts';
import { startAppListener } from '../serve/apps/app-listener.ts';
import { createRoutes, type RouteOptions } from '../serve/routes.ts';
import { createServerQuestions } from '../serve/server-questions.ts';

/**
 * Serves the agent on this machine: a page to talk to it, and the routes that the page uses. The address that is printed has a token, without which no
 * route answers. What needs an approval is asked on the page. Ends on Ctrl-C.
 */
export async function serveAgent(call: CommandCall): Promise<number> {
  const { port = 0 } = call.flags;
  const invocation = await openModel(call);
  const questions = createServerQuestions(invocation.choice.model);
  // What needs an approval, and what servers ask, is asked on the page, not here.
  const host = { ...call.host, stdin: new PassThrough().end(), answers: questions.answers };
  const agent = await openAgent({ ...invocation, host }, { showsApps: true });
  try {
    const { secret } = invocation;
    const describe = async (name: string, json: string): Promise<readonly string[]> =>
      withOrigin(showCall(name, json, await agent.commands()), agent.origin(name));
    const server = await startServer({ options: agent.options, secret, describe, questions }, agent, port);
    call.output.note(`open ${server.url} in a browser; Ctrl-C ends it`);
    if (!call.signal.aborted) await once(call.signal, 'abort');
    await server.close();
    return EXIT.answer;
  } finally {
    await agent.close();
  }
}

/** Serves the page and its routes on a port of 127.0.0.1; 0 takes a free one. The address has the token in its fragment, which browsers do not send. Rejects with a usage error for a port that is taken. */
async function startServer(
  agent: Pick<RouteOptions, 'options' | 'secret' | 'describe' | 'questions'>,
  { apps, approve }: Pick<OpenAgent, 'apps' | 'approve'>,
  port: number,
) {
  const token = randomBytes(24).toString('base64url');
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(usageError(`--port ${port} cannot be used (${error.code ?? error.message}).`)),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  const hosts = [`127.0.0.1:${actual}`, `localhost:${actual}`];
  const listener = apps && (await startAppListener(hosts.map((host) => `http://${host}`)));
  const appHost = apps && listener && createAppHost({ ...apps, approve, listener });
  const routes = createRoutes({ ...agent, token, hosts, apps: appHost, appsOrigin: listener?.origin });
  const handle = getRequestListener(routes);
  server.on('request', (incoming, outgoing) => void handle(incoming, outgoing));
  return {
    url: `http://127.0.0.1:${actual}/#${token}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        listener?.close();
      }),
  };
}

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { openAgent } from '../../agent/open-agent.ts';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { openModel } from '../../model/open-model.ts';
import { checkTools } from '../../options/check-ask.ts';
import { portOf } from '../../options/port.ts';
import { showCall } from '../../questions/show-call.ts';
import { checkLimits } from '../../options/run-limits.ts';

/**
 * Serves the agent on this machine: a page to talk to it, and the routes that the page uses. The address that is printed has a token, without which no
 * route answers. What needs an approval is asked on the page. Ends on Ctrl-C.
 */
export async function serveAgent(call: CommandCall): Promise<number> {
  const port = portOf(call.flags) ?? 0;
  checkTools(call.flags);
  checkLimits(call.flags);
  const invocation = await openModel(call, { need: 'chat', isRaw: false });
  const { startServer } = await import('../../serve/start-server.ts');
  // What needs an approval is asked on the page, not here.
  const agent = await openAgent({ ...invocation, host: { ...call.host, stdin: new PassThrough().end() } });
  try {
    const { token } = invocation.choice.provider;
    const secret = typeof token === 'string' ? token : undefined;
    const describe = async (name: string, json: string): Promise<readonly string[]> =>
      showCall(name, json, await agent.toolkit.commands());
    const server = await startServer({ options: agent.options, secret, describe }, port);
    call.output.note(`open ${server.url} in a browser; Ctrl-C ends it`);
    if (!call.signal.aborted) await once(call.signal, 'abort');
    await server.close();
    return EXIT.answer;
  } finally {
    await agent.close();
  }
}

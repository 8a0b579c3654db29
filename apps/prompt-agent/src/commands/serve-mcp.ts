import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openTools } from '../agent/open-tools.ts';
import { withApproval } from '../approval/with-approval.ts';
import type { CommandCall } from '../command-call.ts';
import { EXIT } from '../exit-code.ts';
import { version } from '../options/help.ts';
import { contentOf } from '../serve/mcp-content.ts';

/**
 * Serves the tools, prompts and skills to MCP clients, and with `--files` the files: over stdin and stdout, or with `--port` over HTTP on this machine, where each client needs the token that is printed. A
 * call that the rules do not allow is denied. Ends with its client, or on Ctrl-C.
 */
export async function serveMcp(call: CommandCall): Promise<number> {
  const { host, output, signal } = call;
  const { port } = call.flags;
  const { serveHttp, serveStdio } = await import('@kernel/mcp');
  const open = await openTools(call, { withoutRun: withApproval });
  const { toolset } = open;
  try {
    const content = await contentOf(call, open);
    const options = { name: 'prompt-agent', version: version(), instructions: open.instructions, content };
    if (port === undefined) {
      if (host.stdin.isTTY === true)
        output.note('an MCP client starts this command and talks to it over stdin and stdout; Ctrl-C ends it');
      const server = serveStdio(toolset, options);
      const stop = (): void => void server.close();
      signal.addEventListener('abort', stop, { once: true });
      await server.closed;
      signal.removeEventListener('abort', stop);
      return EXIT.answer;
    }
    const token = randomBytes(24).toString('base64url');
    const server = await serveHttp(toolset, { ...options, port, token });
    output.note(`MCP at ${server.url}, with the header "authorization: Bearer ${token}"; Ctrl-C ends it`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    return EXIT.answer;
  } finally {
    await open.close();
  }
}

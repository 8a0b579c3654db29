import type { CommandCall } from '../command-call.ts';
import { EXIT } from '../exit-code.ts';

/** Serves the agent to an editor by the Agent Client Protocol, over stdin and stdout. With `--setup` it prints how an editor starts it, and with `--login` it asks for a key. */
export async function acp(call: CommandCall): Promise<number> {
  const { flags, host, output } = call;
  if (flags.login === true) return (await import('../acp/setup/login.ts')).login(call);
  if (flags.setup !== undefined) return (await import('../acp/setup/editor-settings.ts')).setup(call, flags.setup);
  if (host.stdin.isTTY === true)
    output.note('an editor starts this command and talks to it over stdin and stdout (see --setup); Ctrl-C ends it');
  await (await import('../acp/serve-acp.ts')).serveAcp(call);
  return EXIT.answer;
}

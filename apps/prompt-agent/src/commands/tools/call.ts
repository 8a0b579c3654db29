import { type ToolCall, toModelText, toResultJson } from '@kernel/protocol';
import { withApproval } from '../../agent/with-approval.ts';
import type { CommandCall } from '../../command-call.ts';
import { EXIT } from '../../exit-code.ts';
import { decodeText } from '../../prompt/decode-text.ts';
import { readStdin } from '../../prompt/read-stdin.ts';
import { type CutText, cutForTerminal } from '../../output/terminal/cut-for-terminal.ts';
import type { Output } from '../../output/output.ts';
import { usageError } from '../../usage-error.ts';
import { toolNamed, withTools } from './with-tools.ts';

const OPTIONAL = { skipNote: 'The tool is called without arguments.' };

/**
 * Runs one tool with arguments as JSON, from the command line or stdin, and prints its result. Rules, approvals, checks and repairs of the arguments are
 * those of a run. Exits with 1 if the call failed, and with 4 if it was not allowed.
 */
export async function callTool(call: CommandCall): Promise<number> {
  const [name = '', ...rest] = call.words;
  const given =
    rest.length > 0 ? rest.join(' ') : decodeText(await readStdin(call.host, call.output, call.signal, OPTIONAL));
  if (given === undefined) throw usageError('The arguments on stdin are not text.');
  return withTools(call, async (tools, { toolset, toolkit }) => {
    toolNamed(name, tools);
    const request: ToolCall = {
      type: 'tool-call',
      id: 'call-1',
      name,
      arguments: given.trim() === '' ? '{}' : given,
    };
    const { signal } = call;
    const result = await withApproval(toolset, toolkit.approve).call(request, { signal });
    const isDenied = result.code === 'TOOL_DENIED';
    if (isDenied) call.output.note(`prompt-agent: ${toModelText(result).replace(/^TOOL_DENIED: /, '')}`);
    if (call.flags.json === true) call.output.writeJson(toResultJson(result), 2);
    else if (!isDenied) writeText(call.output, toModelText(result).trimEnd());
    if (isDenied) return EXIT.approval;
    return result.isError === true ? EXIT.failed : EXIT.answer;
  });
}

/** Writes the result, cut on a terminal. */
function writeText(output: Output, whole: string): void {
  const { text, note }: CutText = output.capabilities.streams ? cutForTerminal(whole) : { text: whole };
  output.write(`${text}\n`);
  if (note !== undefined) output.note(note);
}

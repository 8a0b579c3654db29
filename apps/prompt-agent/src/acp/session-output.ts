import type { Output } from '../output/output.ts';

/** Creates the output of a session: stdout belongs to the protocol, so everything goes to stderr, but for what a command says while its lines are captured. `notice` gets the other alerts too. */
export function createSessionOutput(base: Output, notice: (line: string) => void) {
  let captured: string[] | undefined;
  const output: Output = {
    ...base,
    write: (text) => base.alert(text),
    writeWhole: (text) => base.alert(text),
    writeJson: (value) => base.alert(JSON.stringify(value)),
    writeEncoded: (lines) => base.noteEncoded(lines),
    alert(line) {
      if (captured !== undefined) captured.push(line);
      else {
        base.alert(line);
        notice(line);
      }
    },
    finish: () => undefined,
    live: () => undefined,
    footer: () => undefined,
    hold: () => () => undefined,
  };
  return {
    output,
    /** Captures the lines of alerts while something works. */
    capture: async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      const own: string[] = [];
      captured = own;
      try {
        await work();
      } finally {
        captured = undefined;
      }
      return own;
    },
  };
}

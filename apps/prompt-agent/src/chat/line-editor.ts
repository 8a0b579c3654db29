import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Host } from '../host.ts';
import { silence, SILENCE_MS, TYPING_MS } from '../questions/ask.ts';
import { stopOnCtrlZ } from '../questions/suspend.ts';
import type { Complete } from './complete.ts';
import { BRACKETED_PASTE, createPasteFilter, textOfLine, toLine } from './paste-filter.ts';

const PROMPT = '› ';
const PROMPT_OF_MORE = '… ';

interface EditorEvents {
  readonly onMessage: (text: string) => void;
  readonly onInterrupt: () => void;
  /** The program is about to stop while no question is shown. */
  readonly onStop: () => void;
  readonly onEnd: () => void;
}

/** Opens Node's line editor (history, completion, the keys of a shell), for a conversation in which both sides may type at once. */
export function openLineEditor(
  { stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>,
  {
    hasPaste,
    complete,
    events,
  }: { readonly hasPaste: boolean; readonly complete: Complete; readonly events: EditorEvents },
) {
  let isHidden = true;
  let answer: ((line: string) => void) | undefined;
  let entered: string[] = [];
  const filter = createPasteFilter();
  // The editor switches the terminal itself to single keys.
  const input = Object.assign(filter, { isTTY: true, setRawMode: (isRaw: boolean) => void stdin.setRawMode?.(isRaw) });
  const screen = Object.assign(
    new Writable({
      decodeStrings: false,
      write(text: unknown, _encoding, done) {
        if (!isHidden) stderr.write(String(text));
        done();
      },
    }),
    { isTTY: true, columns: stderr.columns ?? 0, rows: stderr.rows ?? 0 },
  );
  const resize = (): void => {
    Object.assign(screen, { columns: stderr.columns ?? 0, rows: stderr.rows ?? 0 });
    screen.emit('resize');
  };
  stderr.on('resize', resize);
  stdin.setEncoding('utf8');
  stdin.pipe(filter);
  const editor = createInterface({
    input,
    output: screen,
    terminal: true,
    historySize: 1000,
    removeHistoryDuplicates: true,
    prompt: PROMPT,
    completer: complete,
  });

  editor.on('line', (line) => {
    if (answer !== undefined) {
      answer(line);
      return;
    }
    if (line.endsWith('\\')) {
      entered.push(line.slice(0, -1));
      editor.setPrompt(PROMPT_OF_MORE);
      if (!isHidden) editor.prompt();
      return;
    }
    const text = textOfLine([...entered, line].join('\n'));
    entered = [];
    editor.setPrompt(PROMPT);
    events.onMessage(text);
  });
  // Answers to questions are not messages to come back to.
  editor.on('history', (history: string[]) => {
    if (answer !== undefined) history.shift();
  });
  editor.on('SIGINT', () => events.onInterrupt());
  editor.on('close', () => events.onEnd());
  const paste = (mode: 'on' | 'off'): void => void (hasPaste && stderr.write(BRACKETED_PASTE[mode]));
  const endStops = stopOnCtrlZ(editor, stdin, {
    stop() {
      if (answer === undefined) events.onStop();
      paste('off');
    },
    resume() {
      paste('on');
      if (!isHidden) editor.prompt(true);
    },
  });

  paste('on');

  const take = (): string => {
    const { line } = editor;
    editor.write(null, { ctrl: true, name: 'e' });
    editor.write(null, { ctrl: true, name: 'u' });
    return line;
  };

  async function question(show: () => void, signal: AbortSignal, draft?: string): Promise<string | undefined> {
    const wasHidden = isHidden;
    isHidden = true;
    // Somebody who is typing goes on, to the end of the line if they like: no key of it is an answer.
    await silence(filter, signal, editor.line === '' ? SILENCE_MS : TYPING_MS);
    signal.throwIfAborted();
    const typed = take();
    show();
    const decided = new Promise<string | undefined>((resolve, reject) => {
      const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('interrupted'));
      signal.addEventListener('abort', stop, { once: true });
      editor.once('close', () => resolve(undefined));
      answer = (line) => {
        signal.removeEventListener('abort', stop);
        resolve(textOfLine(line));
      };
    });
    isHidden = false;
    editor.setPrompt(PROMPT);
    editor.prompt();
    if (draft !== undefined) editor.write(toLine(draft));
    try {
      return await decided;
    } finally {
      answer = undefined;
      isHidden = wasHidden;
      take();
      if (typed !== '') editor.write(typed);
    }
  }

  return {
    /** Shows the prompt, with what was typed already. */
    prompt() {
      isHidden = false;
      editor.prompt(true);
    },
    /** Hides the line; what is typed is still edited and entered, and `line` tells it. */
    hide() {
      isHidden = true;
    },
    /** What is typed, and not entered yet. */
    line: () => textOfLine(editor.line),
    clear() {
      entered = [];
      editor.setPrompt(PROMPT);
      take();
    },
    /** Asks a question; see `Host.question`. What was being typed is there again after it. */
    question,
    close() {
      stderr.off('resize', resize);
      isHidden = true;
      editor.removeAllListeners('close');
      editor.close();
      stdin.unpipe(filter);
      endStops();
      stdin.pause();
      paste('off');
    },
  };
}

export type LineEditor = ReturnType<typeof openLineEditor>;

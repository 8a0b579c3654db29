import type { Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Host } from '../host.ts';
import type { Output } from '../output/output.ts';
import { stopOnCtrlZ } from './suspend.ts';

/** How long the terminal must be silent before a question is asked, in milliseconds. */
export const SILENCE_MS = 30;
/** The same for somebody who was typing: longer than the time between two keys. */
export const TYPING_MS = 1000;

/** A terminal that a person sits at: what is asked on stderr is answered on stdin. */
export type Terminal = Pick<Host, 'stdin' | 'stderr' | 'question'>;

/** Node's readline, loaded by the first question. */
const readline = () => process.getBuiltinModule('node:readline');

/** Whether there is a terminal to ask on. */
export function hasTerminal({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Whether a yes-or-no question can be asked: on a terminal, or in the editor that takes its place. */
export function canConfirm(host: Terminal & Pick<Host, 'editor'>): boolean {
  return host.editor !== undefined || hasTerminal(host);
}

/**
 * Asks a question and returns the line that is typed after it; undefined if the input ends first. What was typed before the question is discarded: it
 * was not meant as an answer; somebody who is typing is not asked before the keys have rested for a second. With a `draft` the line holds it at first, to be edited. Throws the reason of an abort.
 */
export async function ask(
  terminal: Terminal,
  show: () => void,
  signal: AbortSignal,
  draft?: string,
): Promise<string | undefined> {
  if (terminal.question !== undefined) return terminal.question(show, signal, draft);
  await discardTyped(terminal.stdin, signal);
  signal.throwIfAborted();
  show();
  return draft === undefined ? readLine(terminal.stdin, signal) : editLine(terminal, draft, signal);
}

/** Reads and drops what the terminal has buffered, until it is silent or the signal aborts. In raw mode that includes a line that is not finished. */
async function discardTyped(stdin: Host['stdin'], signal: AbortSignal): Promise<void> {
  stdin.setRawMode?.(true);
  await silence(stdin, signal, SILENCE_MS);
  stdin.pause();
  stdin.setRawMode?.(false);
}

/**
 * Resolves once no key has been pressed for a moment, longer if there was one, or the signal aborts. What has come is
 * read and dropped, also by a program that had no time to read it: a timer that fires late is no silence.
 */
export function silence(input: NodeJS.ReadableStream, signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout>;
    let afterRead: ReturnType<typeof setImmediate> | undefined;
    const end = (): void => {
      stop();
      input.off('data', again);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = (): void => {
      clearTimeout(timer);
      clearImmediate(afterRead);
    };
    // Between a timer and an immediate, the event loop reads what there is.
    const wait = (waitMs: number): void => void (timer = setTimeout(() => (afterRead = setImmediate(end)), waitMs));
    const again = (): void => {
      stop();
      wait(TYPING_MS);
    };
    wait(ms);
    input.on('data', again);
    // An input that an earlier question has paused gives nothing to a new listener.
    input.resume();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** Reads one line; undefined if the input ends first. Throws the reason of an abort. */
function readLine(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string | undefined> {
  // An input that has ended, as with Ctrl-D at an earlier question, tells it only once.
  if (hasEnded(input)) return Promise.resolve(undefined);
  return nextLine(readline().createInterface({ input, terminal: false }), signal);
}

/** Lets a line be edited, with the keys of a shell; undefined if the input ends first. Throws the reason of an abort. */
function editLine({ stdin, stderr }: Terminal, draft: string, signal: AbortSignal): Promise<string | undefined> {
  if (hasEnded(stdin)) return Promise.resolve(undefined);
  const editor = readline().createInterface({ input: stdin, output: stderr, terminal: true, prompt: '' });
  // In raw mode Ctrl-C is a key: here it means no.
  editor.once('SIGINT', () => editor.close());
  const endStops = stopOnCtrlZ(editor, stdin, { stop: () => undefined, resume: () => editor.prompt(true) });
  editor.once('close', endStops);
  const line = nextLine(editor, signal);
  editor.prompt();
  editor.write(draft);
  return line;
}

/** Returns the next line of an interface and closes it; undefined if it is closed before. Rejects with the reason of an abort. */
function nextLine(lines: Interface, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let line: string | undefined;
    const stop = (): void => lines.close();
    signal.addEventListener('abort', stop, { once: true });
    lines.once('line', (text) => {
      line = text;
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error('interrupted'));
      else resolve(line);
    });
  });
}

function hasEnded(input: object): boolean {
  return ['readableEnded', 'destroyed'].some((field) => Reflect.get(input, field) === true);
}

/** Asks for a line that is not shown while it is typed; empty if the input ends first. Rejects with the reason of an abort. */
export async function askSecret(
  terminal: Terminal,
  output: Output,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  // readline shows what is typed on its output: this one shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = readline().createInterface({ input: terminal.stdin, output: nowhere, terminal: true });
  lines.once('SIGINT', () => {
    lines.close();
    process.kill(process.pid, 'SIGINT');
  });
  // The terminal shows no keys by now, and what comes is heard: a key may be pasted as soon as it is asked for.
  const line = nextLine(lines, signal);
  output.note(question);
  return (await line) ?? '';
}

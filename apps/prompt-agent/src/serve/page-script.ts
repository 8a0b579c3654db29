import { INVISIBLE } from '@kernel/internal';
import { QUESTION_SCRIPT } from './question-script.ts';

/** The script of the page of `serve http`. It talks to the routes with the token of the address. */
export const SCRIPT = String.raw`
const $ = (selector) => document.querySelector(selector);
const token = location.hash.slice(1);
const chat = '/chats/' + crypto.randomUUID();
const calls = new Map();
const asked = new Set();
let streamed = new Map();
let answer, thought, running;
/** Shows the app of a call; set where apps are shown. */
let openApp;

function add(className, text = '') {
  const box = document.createElement('div');
  box.className = className;
  box.textContent = text;
  $('#log').append(box);
  box.scrollIntoView({ block: 'nearest' });
  return box;
}

function newCall(name) {
  const box = document.createElement('details');
  box.className = 'call';
  const title = document.createElement('summary');
  const state = document.createElement('span');
  state.className = 'state';
  title.append(name + ' ', state);
  const given = document.createElement('pre');
  given.className = 'given';
  const result = document.createElement('pre');
  result.className = 'result';
  result.hidden = true;
  const decide = document.createElement('div');
  decide.className = 'decide';
  box.append(title, given, result, decide);
  $('#log').append(box);
  setState(box, 'writing');
  return box;
}

function setState(box, status, text = status) {
  box.dataset.status = status;
  box.querySelector('.state').textContent = '– ' + text;
}

function callOf({ callId, name, arguments: text }) {
  const box = calls.get(callId) ?? newCall(name);
  calls.set(callId, box);
  if (text !== undefined) box.querySelector('.given').textContent = visible(text);
  return box;
}

/** Shows a call as it is shown in a terminal, and asks about it. Nothing gets the focus: no key that is meant for the message decides. */
async function ask({ callId, path, digest, ...call }) {
  const box = callOf({ callId, ...call });
  box.open = true;
  setState(box, 'asked', 'may change something: allow it?');
  const choices = box.querySelector('.decide');
  choices.replaceChildren();
  await describe(box, digest);
  const decide = (decision) => {
    if (running !== undefined || !asked.delete(callId)) return;
    choices.replaceChildren();
    setState(box, 'decided', decision === 'allow' ? 'allowed' : 'not allowed');
    const reason = decision === 'deny' ? { reason: 'The user said no.' } : {};
    void send(chat + '/decisions', JSON.stringify({ callId, path, digest, decision, ...reason }));
  };
  const buttons = [['allow', 'Allow'], ['deny', 'Deny']].map(([decision, label]) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.className = decision;
    button.addEventListener('click', () => decide(decision));
    return button;
  });
  choices.replaceChildren(...buttons);
  box.scrollIntoView({ block: 'nearest' });
}

async function describe(box, digest) {
  try {
    const headers = { authorization: 'Bearer ' + token };
    const response = await fetch(chat + '/calls', { method: 'POST', body: JSON.stringify({ digest }), headers });
    const { lines, error } = await response.json();
    if (error) throw new Error(error.message);
    box.querySelector('.given').replaceChildren(...lines.map(lineOf));
  } catch (error) {
    add('error', 'The arguments are shown as they came: ' + error.message);
  }
}

function lineOf({ text, isWarning }) {
  const line = document.createElement('div');
  line.className = isWarning ? 'line warning' : 'line';
  line.textContent = visible(text);
  return line;
}

/** Text whose characters all show, as in the terminal; tabs stay. */
function visible(text) {
  return text.replace(/(?!\t)(?:${INVISIBLE.source})/gu, (character) => {
    const code = character.codePointAt(0).toString(16);
    if (code.length > 4) return '\\u{' + code + '}';
    return code.length > 2 ? '\\u' + code.padStart(4, '0') : '\\x' + code.padStart(2, '0');
  });
}

function show(event) {
  switch (event.type) {
    case 'reasoning-delta':
      thought ??= add('thought');
      thought.textContent += event.text;
      break;
    case 'text-delta':
      answer ??= add('answer');
      answer.textContent += event.text;
      answer.scrollIntoView({ block: 'end' });
      break;
    case 'tool-call-delta': {
      answer = undefined;
      const box = streamed.get(event.index) ?? newCall(event.name ?? '…');
      streamed.set(event.index, box);
      if (event.callId !== undefined) calls.set(event.callId, box);
      box.querySelector('.given').textContent += visible(event.arguments);
      break;
    }
    case 'message-end':
      answer = thought = undefined;
      streamed = new Map();
      for (const call of event.calls) setState(callOf(call), 'waiting');
      break;
    case 'tool-start':
      setState(callOf(event), 'running');
      $('#status').textContent = 'runs ' + event.name;
      break;
    case 'tool-end': {
      const box = callOf(event);
      setState(box, event.status);
      const result = box.querySelector('.result');
      result.hidden = false;
      result.textContent = visible(event.result?.text ?? event.error?.message ?? event.status);
      if (event.status === 'done') openApp?.(event.callId, box).catch((error) => add('error', error.message));
      break;
    }
    case 'server-question':
      askForServer(event);
      break;
    case 'server-question-end':
      endQuestion(event);
      break;
    case 'run-end':
      answer = thought = undefined;
      asked.clear();
      for (const call of event.pending ?? []) {
        asked.add(call.callId);
        void ask(call);
      }
      if (event.error) add('error', event.error.message);
      if (event.usage) $('#status').textContent = event.usage.inputTokens + ' tokens in, ' + event.usage.outputTokens + ' out';
      else $('#status').textContent = 'ready';
      break;
  }
}

async function send(path, body) {
  running = new AbortController();
  setBusy(true);
  try {
    const response = await fetch(path, { method: 'POST', body, signal: running.signal, headers: { authorization: 'Bearer ' + token } });
    if (!response.ok) throw new Error((await response.json()).error.message);
    let text = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (text + piece).split('\n\n');
      text = frames.pop();
      for (const frame of frames) {
        const data = frame.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) show(JSON.parse(data.slice(6)));
      }
    }
  } catch (error) {
    add('error', error.name === 'AbortError' ? 'stopped' : error.message);
    $('#status').textContent = 'ready';
  } finally {
    answer = thought = running = undefined;
    setBusy(false);
  }
}

function setBusy(isBusy) {
  $('#send').hidden = isBusy;
  $('#stop').hidden = !isBusy;
  if (isBusy) $('#status').textContent = 'waits for the model';
}

$('#stop').addEventListener('click', () => running?.abort());
$('#text').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $('#form').requestSubmit();
});
$('#form').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = $('#text');
  if (input.value.trim() === '' || $('#send').hidden) return;
  // The text stays until the question is answered.
  if (asked.size > 0) {
    $('#status').textContent = 'a question waits for Allow or Deny';
    return;
  }
  add('user', input.value);
  void send(chat, input.value);
  input.value = '';
});
${QUESTION_SCRIPT}`;

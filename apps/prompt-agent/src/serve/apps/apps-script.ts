/** The part of the page's script that shows apps of MCP servers: each in a sandbox of another origin, with which it speaks the protocol of the extension. */
export const APPS_SCRIPT = String.raw`
const VERSIONS = ['2026-01-26', '2025-11-21'];
const MAX_MESSAGE = 1_000_000;
const MAX_PER_SECOND = 100;
const MAX_HEIGHT = 800;
const MAX_TEXT = 10_000;
const apps = new Set();

async function post(path, body, signal) {
  const headers = { authorization: 'Bearer ' + token };
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body), headers, signal });
  const answer = await response.json();
  return response.ok || response.status === 404 ? answer : { refused: answer.error.message };
}

openApp = async (callId, box) => {
  const given = await post('/apps', { chat: chat.slice('/chats/'.length), callId });
  if (given.error) return;
  if (given.refused) return void add('error', given.refused);
  const figure = document.createElement('figure');
  figure.className = given.hasBorder ? 'app bordered' : 'app';
  const caption = document.createElement('figcaption');
  const hosts = given.hosts.length === 0 ? '' : '; it may connect to ' + given.hosts.join(', ');
  const about = document.createElement('span');
  about.textContent = visible('App of the MCP server "' + given.server + '"' + hosts);
  const close = document.createElement('button');
  close.type = 'button';
  close.textContent = 'Close';
  caption.append(about, close);
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts allow-forms');
  frame.setAttribute('allow', '');
  frame.referrerPolicy = 'no-referrer';
  frame.title = about.textContent;
  const question = document.createElement('div');
  question.className = 'question';
  figure.append(caption, frame, question);
  const app = { ...given, about, figure, frame, question, stopped: new AbortController(), second: 0, count: 0, calls: 0 };
  close.addEventListener('click', () => void closeApp(app));
  apps.add(app);
  frame.src = given.url;
  box.after(figure);
  figure.scrollIntoView({ block: 'nearest' });
};

/** Closes an app once it has said that it is done, or after a moment. */
async function closeApp(app) {
  if (app.isClosing) return;
  app.isClosing = true;
  const isDone = new Promise((resolve) => (app.tornDown = resolve));
  if (app.isReady) tell(app, { id: 'teardown', method: 'ui/resource-teardown', params: {} });
  else app.tornDown();
  await Promise.race([isDone, new Promise((resolve) => setTimeout(resolve, 500))]);
  stopApp(app, 'closed');
}

function stopApp(app, why) {
  if (!apps.delete(app)) return;
  app.stopped.abort();
  app.frame.remove();
  app.question.replaceChildren();
  app.figure.querySelector('button')?.remove();
  app.about.textContent += ' – ' + why;
}

addEventListener('message', (event) => {
  for (const app of apps) if (event.source === app.frame.contentWindow && event.origin === 'null') receive(app, event.data);
});

/** Takes one message of an app. Whoever sends too much, or something too long, is stopped. */
function receive(app, message) {
  const second = Math.floor(performance.now() / 1000);
  app.count = app.second === second ? app.count + 1 : 1;
  app.second = second;
  if (app.count > MAX_PER_SECOND) return stopApp(app, 'stopped: it sent too many messages');
  if (typeof message !== 'object' || message === null || message.jsonrpc !== '2.0') return;
  let length = Infinity;
  try {
    length = JSON.stringify(message).length;
  } catch {}
  if (!(length <= MAX_MESSAGE)) return stopApp(app, 'stopped: it sent a message that is too long');
  const { id, method, params } = message;
  if (typeof method !== 'string') return void (id === 'teardown' && app.tornDown?.());
  const given = typeof params === 'object' && params !== null ? params : {};
  if (typeof id !== 'string' && typeof id !== 'number') return hear(app, method, given);
  replyTo(app, method, given).then(
    (result) => tell(app, { id, result }),
    (error) => tell(app, { id, error: { code: error.code ?? -32000, message: error.message } }),
  );
}

function tell(app, message) {
  // Its origin is opaque, so it has no name. The policy of this page lets the frame go nowhere else.
  if (apps.has(app)) app.frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*');
}

function hear(app, method, params) {
  if (method === 'ui/notifications/initialized' && !app.isReady) {
    app.isReady = true;
    tell(app, { method: 'ui/notifications/tool-input', params: { arguments: app.input } });
    tell(app, { method: 'ui/notifications/tool-result', params: app.result });
  }
  // While a question is open nothing moves that someone is about to click.
  if (method === 'ui/notifications/size-changed' && Number.isFinite(params.height) && !app.isAsking)
    app.frame.style.height = Math.min(Math.max(params.height, 40), MAX_HEIGHT) + 'px';
  if (method === 'ui/notifications/request-teardown') void closeApp(app);
}

async function replyTo(app, method, params) {
  switch (method) {
    case 'ui/initialize':
      return {
        protocolVersion: VERSIONS.includes(params.protocolVersion) ? params.protocolVersion : VERSIONS[0],
        hostInfo: { name: 'prompt-agent', version: '1' },
        hostCapabilities: { openLinks: {}, serverTools: {}, message: { text: {} } },
        hostContext: {
          toolInfo: { tool: app.tool },
          theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
          displayMode: 'inline',
          availableDisplayModes: ['inline'],
          containerDimensions: { width: app.frame.clientWidth, maxHeight: MAX_HEIGHT },
          locale: navigator.language,
          platform: 'web',
          userAgent: 'prompt-agent',
        },
      };
    case 'ping':
      return {};
    case 'ui/request-display-mode':
      return { mode: 'inline' };
    case 'tools/call':
      return callForApp(app, params);
    case 'ui/open-link':
      return openLink(app, params);
    case 'ui/message':
      return sendForApp(app, params);
    default:
      throw Object.assign(new Error('This host does not support ' + visible(method.slice(0, 100))), { code: -32601 });
  }
}

async function callForApp(app, { name, arguments: input }) {
  const { signal } = app.stopped;
  let given = await post('/apps/' + app.id + '/calls', { name, arguments: input }, signal);
  if (given.question) {
    const isAllowed = await askFor(app, 'The app wants to call a tool that may change something: allow it?', given.question.lines);
    const decision = isAllowed ? 'allow' : 'deny';
    given = await post('/apps/' + app.id + '/decisions', { question: given.question.id, decision }, signal);
  }
  if (given.result) return given.result;
  throw new Error(given.refused ?? given.error?.message ?? 'The call failed');
}

async function openLink(app, { url }) {
  const target = typeof url === 'string' && url.length <= MAX_TEXT ? URL.parse(url) : null;
  if (target === null || !['https:', 'http:'].includes(target.protocol)) return { isError: true };
  const isAllowed = await askFor(app, 'The app wants to open a page in a new tab: allow it?', [{ text: target.href }]);
  if (isAllowed) open(target.href, '_blank', 'noopener,noreferrer');
  return isAllowed ? {} : { isError: true };
}

async function sendForApp(app, { content }) {
  const parts = Array.isArray(content) ? content : [content];
  const text = parts.map((part) => (part?.type === 'text' ? part.text : undefined)).filter((part) => typeof part === 'string').join('\n');
  if (text.trim() === '' || text.length > MAX_TEXT) return { isError: true };
  const lines = text.split('\n').map((line) => ({ text: line }));
  const isAllowed = await askFor(app, 'The app wants to send this message in your name: allow it?', lines);
  if (!isAllowed || running !== undefined || asked.size > 0) return { isError: true };
  add('user', text);
  void send(chat, text);
  return {};
}

/** Asks the user, once at a time for an app. The buttons work after a moment, so that no click that was meant for something else decides. */
function askFor(app, title, lines) {
  if (app.isAsking) return Promise.reject(new Error('A question of this app waits for the user'));
  app.isAsking = true;
  return new Promise((resolve, reject) => {
    const settle = (isAllowed) => {
      app.isAsking = false;
      app.question.replaceChildren();
      resolve(isAllowed);
    };
    app.stopped.signal.addEventListener('abort', () => reject(new Error('The app was stopped')), { once: true });
    const text = document.createElement('div');
    text.textContent = title;
    const given = document.createElement('pre');
    given.className = 'given';
    given.replaceChildren(...lines.map(lineOf));
    const decide = document.createElement('div');
    decide.className = 'decide';
    const buttons = [['allow', 'Allow', true], ['deny', 'Deny', false]].map(([className, label, isAllowed]) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = className;
      button.textContent = label;
      button.disabled = true;
      button.addEventListener('click', () => settle(isAllowed));
      return button;
    });
    setTimeout(() => buttons.forEach((button) => (button.disabled = false)), 500);
    decide.append(...buttons);
    app.question.replaceChildren(text, given, decide);
    decide.scrollIntoView({ block: 'nearest' });
  });
}
`;

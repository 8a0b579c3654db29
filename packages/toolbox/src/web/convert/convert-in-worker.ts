import { Worker } from 'node:worker_threads';
import { onAbort } from '@kernel/internal';

export interface ConvertedDocument {
  readonly text: string;
  readonly title: string;
  /** The address that a page goes on with by itself (`meta refresh`). */
  readonly next?: string | undefined;
  /** The addresses of its frames. */
  readonly frames?: readonly string[] | undefined;
  readonly hasScripts?: boolean | undefined;
}

export interface ConvertOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const MAX_HEAP_MB = 512;
/** What buffers may take, which the limit of the heap does not count; it is looked at often enough for what can be unpacked meanwhile. */
const MAX_BUFFER_BYTES = 512 * 1024 * 1024;
const LOOK_MS = 50;

/**
 * The program of the worker: CommonJS, because that is what a worker runs from a text. The converters are somebody else's code over hostile input, so they
 * run where a time limit ends them and their memory is limited.
 */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const convert = {
  async html({ text, baseUrl, modules }) {
    const { default: Turndown } = await import(modules.turndown);
    const { default: domino } = await import(modules.domino);
    const document = domino.createWindow(text, baseUrl).document;
    const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', emDelimiter: '*' });
    turndown.remove(['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'svg', 'canvas', 'head']);
    // What a page does not show is not for its reader, but may be meant for a model.
    const isUnseen = (style) => style.toLowerCase().split(';').some((rule) => {
      const [name, value = ''] = rule.split(':', 2).map((part) => part.trim());
      return (name === 'display' && /^none/.test(value)) || (name === 'visibility' && /^(hidden|collapse)/.test(value)) || (name === 'font-size' && /^0(?![.\\d]*[1-9])/.test(value));
    });
    for (const element of Array.from(document.querySelectorAll('[hidden], [style]')))
      if (!/^(html|body|main|article)$/i.test(element.nodeName) && (element.hasAttribute('hidden') || isUnseen(element.getAttribute('style') ?? ''))) element.remove();
    const base = document.querySelector('base[href]');
    if (base != null && URL.canParse(base.getAttribute('href'), baseUrl)) baseUrl = new URL(base.getAttribute('href'), baseUrl).href;
    const absolute = (address) => {
      try {
        const url = new URL(address, baseUrl);
        return /^(https?|mailto):$/.test(url.protocol) ? url.href : '';
      } catch {
        return '';
      }
    };
    const refresh = Array.from(document.querySelectorAll('meta[http-equiv]')).find((each) => /^refresh$/i.test(each.getAttribute('http-equiv')));
    const [, target] = /^[\\s\\d.]*[;,]?\\s*url\\s*=\\s*["']?([^"']+)/i.exec(refresh?.getAttribute('content') ?? '') ?? [];
    const next = target === undefined ? undefined : absolute(target.trim()) || undefined;
    const frames = Array.from(document.querySelectorAll('frame[src], iframe[src]'), (each) => absolute(each.getAttribute('src'))).filter(Boolean).slice(0, 10);
    const hasScripts = document.querySelectorAll('script').length > 0;
    for (const [name, attribute] of [['a', 'href'], ['img', 'src']])
      for (const element of Array.from(document.getElementsByTagName(name)))
        if (element.hasAttribute(attribute)) element.setAttribute(attribute, absolute(element.getAttribute(attribute)));
    const cell = (element) => turndown.turndown(element.innerHTML || ' ').replace(/\\s*\\n\\s*/g, ' ').replace(/\\|/g, '\\\\|').trim();
    turndown.addRule('table', {
      filter: 'table',
      replacement(content, table) {
        if (table.getElementsByTagName('table').length > 0) return content;
        const rows = Array.from(table.getElementsByTagName('tr'), (row) => Array.from(row.children, cell)).filter((row) => row.length > 0);
        const width = Math.max(0, ...rows.map((row) => row.length));
        if (width < 2) return content;
        const line = (row) => '| ' + Array.from({ length: width }, (_, index) => row[index] ?? '').join(' | ') + ' |';
        const [first, ...rest] = rows;
        return '\\n\\n' + [line(first), line(first.map(() => '---').concat(Array(width - first.length).fill('---'))), ...rest.map(line)].join('\\n') + '\\n\\n';
      },
    });
    const main = document.querySelector('main') ?? document.querySelector('article') ?? document.body ?? document.documentElement;
    const shown = main === null ? '' : turndown.turndown(main);
    // What stands there for a reader without scripts, where nothing else does.
    const spare = shown.trim() !== '' ? [] : Array.from(document.querySelectorAll('noscript'), (each) => turndown.turndown((each.firstElementChild === null ? each.textContent : each.innerHTML) || ' '));
    return { text: shown + spare.join('\\n'), title: document.title, next, frames, hasScripts };
  },
  async pdf({ bytes, modules }) {
    const { extractText, getDocumentProxy, getMeta } = await import(modules.unpdf);
    const document = await getDocumentProxy(bytes);
    const { text } = await extractText(document, { mergePages: false });
    const { info } = await getMeta(document).catch(() => ({ info: {} }));
    const title = typeof info?.Title === 'string' ? info.Title : '';
    return { text: text.map((page, index) => '[page ' + (index + 1) + ']\\n' + page).join('\\n\\n'), title };
  },
};
convert[workerData.kind](workerData).then(
  (value) => parentPort.postMessage({ value }),
  (error) => parentPort.postMessage({ error: String(error?.message ?? error) }),
);
`;

export function htmlToMarkdown(text: string, baseUrl: string, options: ConvertOptions): Promise<ConvertedDocument> {
  const modules = { turndown: import.meta.resolve('turndown'), domino: import.meta.resolve('@mixmark-io/domino') };
  return convert({ kind: 'html', text, baseUrl, modules }, options);
}

export function pdfToText(bytes: Uint8Array, options: ConvertOptions): Promise<ConvertedDocument> {
  return convert({ kind: 'pdf', bytes, modules: { unpdf: import.meta.resolve('unpdf') } }, options);
}

function convert(workerData: object, { timeoutMs, signal }: ConvertOptions): Promise<ConvertedDocument> {
  signal.throwIfAborted();
  const worker = new Worker(WORKER, {
    eval: true,
    workerData,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  return new Promise<ConvertedDocument>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`reading it took longer than ${timeoutMs} ms`)), timeoutMs);
    const removeAbort = onAbort(signal, () => reject(new Error('aborted')));
    const watch = setInterval(() => void checkBuffers(worker).catch(reject), LOOK_MS);
    const end = (): void => {
      clearTimeout(timer);
      clearInterval(watch);
      removeAbort();
    };
    worker.on('message', (message: { value?: ConvertedDocument; error?: string }) => {
      end();
      if (message.value === undefined) reject(new Error(message.error ?? 'it cannot be read'));
      else resolve(message.value);
    });
    worker.on('error', (error) => {
      end();
      reject(error);
    });
    worker.on('exit', () => {
      end();
      reject(new Error('its reader ended'));
    });
  }).finally(() => void worker.terminate());
}

async function checkBuffers(worker: Worker): Promise<void> {
  // Not every runtime reports heap statistics. A worker that has ended reports none.
  if (!('getHeapStatistics' in worker)) return;
  const { external_memory: bytes } = await worker.getHeapStatistics().catch(() => ({ external_memory: 0 }));
  if (bytes > MAX_BUFFER_BYTES) throw new Error('it needs too much memory');
}

import { END_OF_PROGRAM, IMAGE_OF_PROGRAM, TOOLS_OF_PROGRAM, VALUES_OF_PROGRAM } from './parts-of-prelude.ts';

/**
 * What a program has besides the language: `tools`, `console`, `text`, `image`, `store`, `load`, `sleep`, `find_tools`
 * and `describe_tool`.
 *
 * This runs inside of the virtual machine, before the program, and hands its functions to the outside: `begin`,
 * `resume`, `state` and their like. Texts are all that crosses over, JSON in both directions, and no function of the
 * host can be reached. What a program changes of the language, such as `Array.prototype`, can confuse nothing but
 * itself: the host checks what it gets.
 */
export const PRELUDE = String.raw`(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { create, freeze, defineProperty, keys } = Object;
  const { ownKeys, apply } = Reflect;
  const isArray = Array.isArray;
  const indexOf = String.prototype.indexOf;
  const toLowerCase = String.prototype.toLowerCase;
  const split = String.prototype.split;
  const replace = String.prototype.replace;
  const then = Promise.prototype.then;
  const all = Promise.all;
  const test = RegExp.prototype.test;
  const join = Array.prototype.join;
  const NativePromise = Promise;
  const NativeProxy = Proxy;
  const NativeError = Error;
  const StringOf = String;
  const imul = Math.imul;
  const min = Math.min;
  const dateNow = Date.now;

  let limits;
  /** How much stands before the program on its first line. */
  let headLength = 0;
  let sentCalls = [];
  let waiting = create(null);
  let callCount = 0;
  let settledCount = 0;
  let isSettling = false;
  let sleeps = [];
  let slept = 0;
  let sleptLeft = 0;
  let output = [];
  let outputLength = 0;
  let argumentLength = 0;
  let stored = create(null);
  let storedLength = 0;
  /** How the program has ended; its calls and sleeps may go on. */
  let ended;
  let isStopped = false;
  let seedA = 1;

  const random = () => {
    seedA = (seedA + 0x6d2b79f5) | 0;
    let t = imul(seedA ^ (seedA >>> 15), 1 | seedA);
    t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  defineProperty(Math, 'random', { value: random, writable: true, configurable: true, enumerable: false });

  const failure = (name, message) => {
    const error = new NativeError(message);
    defineProperty(error, 'name', { value: name, writable: true, configurable: true, enumerable: false });
    return error;
  };

${VALUES_OF_PROGRAM}

  const toText = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof NativeError) return value.name + ': ' + value.message;
    if (typeof value === 'symbol' || typeof value === 'function' || value === undefined) return StringOf(value);
    let text;
    try {
      text = toJson(value);
    } catch (error) {
      return '[' + (error instanceof NativeError ? error.message : 'not JSON') + ']';
    }
    return text === undefined ? StringOf(value) : text;
  };

  const write = (item, length) => {
    outputLength += length;
    if (outputLength > limits.outputCharacters)
      throw failure('RangeError', 'The output has more than ' + limits.outputCharacters + ' characters. Write less: filter, count or summarize.');
    output[output.length] = item;
  };

  const text = (value) => {
    const piece = toText(value);
    write('{"text":' + stringify(piece) + '}', piece.length + 16);
  };

  const log = (...values) => {
    let line = '';
    for (let at = 0; at < values.length; at += 1) line += (at === 0 ? '' : ' ') + toText(values[at]);
    write('{"text":' + stringify(line) + '}', line.length + 16);
  };

${IMAGE_OF_PROGRAM}

  const store = (key, value) => {
    if (typeof key !== 'string') throw failure('TypeError', 'The key of store() is not a string.');
    const json = value === undefined ? undefined : toJson(value);
    const before = stored[key];
    const next = storedLength - (before === undefined ? 0 : before.length + key.length) + (json === undefined ? 0 : json.length + key.length);
    if (next > limits.outputCharacters)
      throw failure('RangeError', 'The stored values have more than ' + limits.outputCharacters + ' characters as JSON.');
    storedLength = next;
    if (json === undefined) delete stored[key];
    else stored[key] = json;
  };

  const load = (key) => {
    const json = stored[StringOf(key)];
    return json === undefined ? undefined : parse(json);
  };

  const sleep = (ms) => {
    const time = +ms;
    if (!(time >= 0)) throw failure('TypeError', 'sleep() takes milliseconds.');
    if (time > sleptLeft)
      throw failure('RangeError', 'The program may sleep ' + limits.sleepMs + ' ms in all; ' + sleptLeft + ' are left.');
    return new NativePromise((resolve) => {
      sleeps[sleeps.length] = { __proto__: null, until: slept + time, resolve };
    });
  };

  const callTool = (name, input) =>
    new NativePromise((resolve, reject) => {
      let json = input === undefined ? '{}' : toJson(input);
      if (json === undefined) throw failure('TypeError', 'The input of ' + name + ' is a ' + typeof input + ', not an object.');
      callCount += 1;
      if (callCount > limits.calls) throw failure('RangeError', 'The program may make ' + limits.calls + ' calls.');
      argumentLength += json.length;
      if (argumentLength > limits.outputCharacters)
        throw failure('RangeError', 'The arguments of the calls made at once have more than ' + limits.outputCharacters + ' characters.');
      waiting[callCount] = { __proto__: null, resolve, reject };
      sentCalls[sentCalls.length] = '{"name":' + stringify(name) + ',"input":' + json + '}';
    });

${TOOLS_OF_PROGRAM}
  const describe = (error) => {
    if (!(error instanceof NativeError)) return 'Thrown: ' + toText(error);
    let stack = typeof error.stack === 'string' ? error.stack : '';
    let kept = '';
    const lines = apply(split, stack, ['\n']);
    for (let at = 0; at < lines.length; at += 1)
      if (apply(indexOf, lines[at], ['program.js']) >= 0) kept += '\n' + apply(replace, lines[at], [/program\.js:1:(\d+)/, (_, column) => 'program.js:1:' + (column > headLength ? column - headLength : 1)]);
    return StringOf(error.name) + ': ' + StringOf(error.message) + kept;
  };

  // Written piece by piece: stringify takes no objects once a program has changed the elements of Array.prototype.
  const endText = ({ value, error }) => {
    const kept = keys(stored);
    for (let at = 0; at < kept.length; at += 1) kept[at] = stringify(kept[at]) + ':' + stringify(stored[kept[at]]);
    return '{"type":"end","output":[' + apply(join, output, [',']) + ']' + (value === undefined ? '' : ',"value":' + stringify(value)) +
      (error === undefined ? '' : ',"error":' + stringify(error)) + ',"stored":{' + apply(join, kept, [',']) + '}}';
  };

  const end = (fields) => {
    ended ??= fields;
  };

  const endWithValue = (value) => end({ __proto__: null, value });

${END_OF_PROGRAM}

  const endWithError = (error) => end({ __proto__: null, error: describe(error) });

  return {
    __proto__: null,
    begin: (json, program) => {
      const given = parse(json);
      limits = given.limits;
      headLength = given.headLength;
      sleptLeft = limits.sleepMs;
      seedA = given.seed | 0;
      const names = ownKeys(given.stored);
      for (let at = 0; at < names.length; at += 1) store(names[at], given.stored[names[at]]);
      const { find_tools, describe_tool } = searchOf(given.tools);
      const console = freeze({ log, info: log, warn: log, error: log, debug: log });
      let running;
      try {
        running = program(toolsOf(given.tools), console, text, image, store, load, sleep, find_tools, describe_tool);
      } catch (error) {
        return endWithError(error);
      }
      const returned = apply(then, running, [awaited]);
      apply(then, returned, [endWithValue, endWithError]);
    },
    resume: (json) => {
      const results = parse(json);
      for (let at = 0; at < results.length; at += 1) {
        settledCount += 1;
        const call = waiting[settledCount];
        delete waiting[settledCount];
        if (call === undefined) continue;
        const result = results[at];
        if (result.error === undefined) call.resolve(result.value);
        else call.reject(failure('ToolError', result.error));
      }
    },
    /** Ends the sleeps that are due. */
    wake: (ms) => {
      slept += ms;
      sleptLeft -= ms;
      const before = sleeps;
      sleeps = [];
      for (let at = 0; at < before.length; at += 1) {
        if (before[at].until <= slept) before[at].resolve(undefined);
        else sleeps[sleeps.length] = before[at];
      }
    },
    /** Ends the program from outside. */
    stop: (error) => {
      ended = { __proto__: null, error };
      isStopped = true;
    },
    /** Notes a promise that failed and that nothing waits for, or that something waits for after all. */
    reject: (promise, reason, isHandled) => {
      if (isHandled) apply(deleteOf, failed, [promise]);
      else apply(setOf, failed, [promise, reason]);
    },
    state: () => {
      if (isStopped) return endText(ended);
      if (ended?.error !== undefined) return endText({ __proto__: null, error: withFailed(withUnsent(ended.error)) });
      if (sentCalls.length > 0) {
        const calls = sentCalls;
        sentCalls = [];
        argumentLength = 0;
        return '{"type":"calls","calls":[' + apply(join, calls, [',']) + ']}';
      }
      let next = Infinity;
      for (let at = 0; at < sleeps.length; at += 1) next = min(next, sleeps[at].until);
      if (next < Infinity) return stringify({ __proto__: null, type: 'sleep', sleepMs: next - slept });
      if (ended !== undefined) return endOfValue(ended);
      return endText({ __proto__: null, error: 'Error: The program waits for a promise that nothing can settle.' });
    },
  };
})()`;

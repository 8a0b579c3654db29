/**
 * The part of the prelude that makes `tools`, `find_tools` and `describe_tool` from the list of tools: the text of two functions, `toolsOf` and `searchOf`. It
 * stands in the scope of the prelude, and uses what that has taken from the language before the program could change it.
 */
export const TOOLS_OF_PROGRAM = String.raw`  /** Whether two words are one edit apart, or one is within the other. */
  const isNear = (a, b) => {
    if (apply(indexOf, a, [b]) >= 0 || apply(indexOf, b, [a]) >= 0) return true;
    let at = 0;
    while (at < a.length && a[at] === b[at]) at += 1;
    let back = 0;
    while (back < a.length - at && back < b.length - at && a[a.length - 1 - back] === b[b.length - 1 - back]) back += 1;
    return a.length - at - back <= 2 && b.length - at - back <= 2;
  };

  const toolsOf = (list) => {
    const byName = create(null);
    const functions = create(null);
    const add = (key, name) => {
      if (key in functions) return;
      functions[key] = freeze((input) => callTool(name, input));
      byName[key] = name;
    };
    for (let at = 0; at < list.length; at += 1) add(list[at].name, list[at].name);
    for (let at = 0; at < list.length; at += 1) if (list[at].alias !== undefined) add(list[at].alias, list[at].name);
    freeze(functions);
    return new NativeProxy(functions, {
      __proto__: null,
      get: (target, key) => {
        if (typeof key !== 'string' || key in target || key === 'then' || key === 'toJSON') return target[key];
        let near = '';
        const names = keys(target);
        for (let at = 0; at < names.length; at += 1)
          if (near === '' && isNear(apply(toLowerCase, key, []), apply(toLowerCase, names[at], []))) near = names[at];
        throw failure('ReferenceError', 'There is no tool ' + stringify(key) + '.' + (near === '' ? '' : ' Did you mean ' + stringify(near) + '?'));
      },
    });
  };

  const wordsOf = (value) => apply(split, apply(toLowerCase, StringOf(value), []), [/[^a-z0-9]+/]);

  const searchOf = (list) => ({
    __proto__: null,
    find_tools: (query, most = 10) => {
      const words = wordsOf(query);
      const found = [];
      for (let at = 0; at < list.length; at += 1) {
        const { name, declaration } = list[at];
        const names = apply(toLowerCase, name, []);
        const texts = apply(toLowerCase, declaration, []);
        let score = 0;
        for (let index = 0; index < words.length; index += 1) {
          const word = words[index];
          if (word === '') continue;
          if (apply(indexOf, names, [word]) >= 0) score += 3;
          else if (apply(indexOf, texts, [word]) >= 0) score += 1;
        }
        if (score > 0) found[found.length] = { name, declaration, score };
      }
      found.sort((a, b) => b.score - a.score);
      const result = [];
      for (let at = 0; at < found.length && at < most; at += 1) result[at] = { name: found[at].name, declaration: found[at].declaration };
      return result;
    },
    describe_tool: (name) => {
      for (let at = 0; at < list.length; at += 1) if (list[at].name === name || list[at].alias === name) return list[at].declaration;
      throw failure('ReferenceError', 'There is no tool ' + stringify(StringOf(name)) + '.');
    },
  });`;

/** The part that makes `image`: the text of one function, and what it needs. */
export const IMAGE_OF_PROGRAM = String.raw`  const isBase64 = (data) => data.length > 0 && apply(test, /^[A-Za-z0-9+/_-]+={0,2}$/, [data]);

  const image = (given) => {
    let mimeType;
    let data;
    if (typeof given === 'string') {
      const comma = apply(indexOf, given, [',']);
      const head = given.slice(0, comma < 0 ? 0 : comma);
      if (given.slice(0, 5) === 'data:' && head.slice(-7) === ';base64') {
        mimeType = head.slice(5, -7);
        data = given.slice(comma + 1);
      }
    } else if (given !== null && typeof given === 'object') {
      mimeType = given.mimeType;
      data = given.data;
    }
    if (typeof mimeType !== 'string' || typeof data !== 'string' || !apply(test, /^image\/[\w.+-]+$/, [mimeType]) || !isBase64(data))
      throw failure('TypeError', 'image() takes a data URL of an image, or an object with mimeType and data in base64.');
    write('{"mimeType":' + stringify(mimeType) + ',"data":' + stringify(data) + '}', mimeType.length + data.length + 16);
  };`;

/**
 * The part that makes JSON of what a program returns, writes, stores and sends, and the text of what failed in it
 * without being awaited: the text of `toJson`, `awaited`, `withUnsent` and `withFailed`, and what they need. An error
 * becomes its text, a map an object or its pairs, a set a list, a big number its digits.
 */
export const VALUES_OF_PROGRAM = String.raw`  const NativeMap = Map;
  const NativeSet = Set;
  const NativeRegExp = RegExp;
  const { isView } = ArrayBuffer;
  const setOf = Map.prototype.set;
  const deleteOf = Map.prototype.delete;
  const forEachOfMap = Map.prototype.forEach;
  const forEachOfSet = Set.prototype.forEach;
  const MOST_FAILED = 5;
  const failed = new NativeMap();

  const pairsOf = (map) => {
    const pairs = [];
    const object = create(null);
    let hasKeys = true;
    apply(forEachOfMap, map, [(value, key) => {
      pairs[pairs.length] = [key, value];
      hasKeys = hasKeys && typeof key === 'string' && key !== '__proto__';
      if (hasKeys) object[key] = value;
    }]);
    return hasKeys ? object : pairs;
  };

  const plain = (_key, value) => {
    if (typeof value === 'bigint') return StringOf(value);
    if (value === null || typeof value !== 'object' || isArray(value)) return value;
    if (value instanceof NativeError) return value.name + ': ' + value.message;
    if (value instanceof NativePromise) throw failure('TypeError', 'it holds a promise: await it, or Promise.all() of a list.');
    if (value instanceof NativeRegExp) return StringOf(value);
    if (value instanceof NativeMap) return pairsOf(value);
    const isSet = value instanceof NativeSet;
    if (!isSet && !isView(value)) return value;
    const list = [];
    if (isSet) apply(forEachOfSet, value, [(item) => { list[list.length] = item; }]);
    else for (let at = 0; at < value.length; at += 1) list[at] = value[at];
    return list;
  };

  const toJson = (value) => stringify(value, plain);

  /** Waits for the promises in a list, as map() makes it of an async function, or in the properties of an object. */
  const awaited = (value) => {
    if (value === null || typeof value !== 'object') return value;
    const names = keys(value);
    const values = [];
    let isPending = false;
    for (let at = 0; at < names.length; at += 1) {
      values[at] = value[names[at]];
      isPending = isPending || values[at] instanceof NativePromise;
    }
    if (!isPending) return value;
    return apply(then, apply(all, NativePromise, [values]), [(list) => {
      if (isArray(value)) return list;
      const object = create(null);
      for (let at = 0; at < names.length; at += 1) object[names[at]] = list[at];
      return object;
    }]);
  };

  /** Adds to why a program failed how many calls it had made by then, without anything waiting for their results. */
  const withUnsent = (error) =>
    sentCalls.length === 0 ? error : error + '\nNot run, since the program failed before: ' + sentCalls.length + (sentCalls.length === 1 ? ' call.' : ' calls.');

  /** Adds to how a program ended which of its promises failed without being awaited. */
  const withFailed = (error) => {
    let text = error === undefined ? '' : error + '\n';
    let count = 0;
    apply(forEachOfMap, failed, [(reason) => {
      count += 1;
      if (count <= MOST_FAILED) text += 'Not awaited, and failed: ' + describe(reason) + '\n';
    }]);
    if (count === 0) return error;
    return text + (count > MOST_FAILED ? 'So did ' + (count - MOST_FAILED) + ' more. ' : '') + 'Await each call, or all of them with Promise.all().';
  };`;

/** The part that ends a program that returned: the text of one function. */
export const END_OF_PROGRAM = String.raw`  /** The end of a program that returned: written once all that it began has ended, which may have filled what it returned. */
  const endOfValue = ({ value }) => {
    let json;
    let error;
    try {
      if (typeof value === 'function') throw failure('TypeError', 'it is a function: call it.');
      json = value === undefined ? undefined : toJson(value);
    } catch (thrown) {
      error = 'The returned value is not JSON: ' + describe(thrown);
    }
    if (json !== undefined && json.length + outputLength > limits.outputCharacters) {
      error = 'RangeError: The returned value has ' + json.length + ' characters as JSON, more than the ' + limits.outputCharacters + ' that the output may have. Return less: filter, count or summarize.';
      json = undefined;
    }
    return endText({ __proto__: null, value: json, error: withFailed(error) });
  };`;

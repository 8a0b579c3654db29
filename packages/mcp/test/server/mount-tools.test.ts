import { KernelError, type ToolCall, type Toolset, callTool } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { mockTool, mockToolset, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { McpServer, Server } from '@modelcontextprotocol/server';
import { describe, expect, test, vi } from 'vitest';
import { isMcpCall, mountTools } from '../../src/index.ts';
import { changeable, connectTo, hanging, plainTool, signalled } from './support.ts';

const info = { name: 'test', version: '1' };

describe('a call', () => {
  test('goes to the toolset with its arguments as JSON text and an id of its own', async () => {
    verifies('mcp.server.call');
    const toolset = mockToolset([mockTool('echo', (call) => call.arguments)]);
    const client = await connectTo(toolset);
    const result = await client.callTool({ name: 'echo', arguments: { a: [1, { b: 'é' }] } });
    await client.callTool({ name: 'echo', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: '{"a":[1,{"b":"é"}]}' }]);
    expect(new Set(toolset.calls.map(({ id }) => id)).size).toBe(2);
    expect(toolset.contexts[0]).toMatchObject({ signal: expect.any(AbortSignal) as AbortSignal });
  });

  test('without arguments counts as a call with none', async () => {
    verifies('mcp.server.call');
    const toolset = mockToolset([mockTool('echo', 'fine')]);
    await (await connectTo(toolset)).callTool({ name: 'echo' });
    expect(toolset.calls[0]?.arguments).toBe('{}');
  });

  test('is validated by the registry, and what is wrong is a result that a model can act on', async () => {
    verifies('mcp.server.call', 'mcp.server.fault');
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const registry = createRegistry([bindTool({ name: 'n', description: 'N.', parameters }, () => 'ran')]);
    const result = await (await connectTo(registry)).callTool({ name: 'n', arguments: { n: 'many' } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('ARGUMENTS_INVALID');
  });

  test("shows a wrapper the request that it came with, but not the registry's handlers", async () => {
    const seen: boolean[] = [];
    const inner = createRegistry([
      bindTool({ name: 'who', description: 'Who.', parameters: {} }, (_input, context) => {
        seen.push(isMcpCall(context));
        return 'ok';
      }),
    ]);
    const outer: Toolset = toToolset({
      ...inner,
      call(call, context) {
        seen.push(isMcpCall(context) && context.mcp.mcpReq.method === 'tools/call');
        return callTool(inner, call, context);
      },
    });
    await (await connectTo(outer)).callTool({ name: 'who' });
    expect(seen).toEqual([true, false]);
  });
});

describe('a failure', () => {
  test('of a tool is a result with its text', async () => {
    verifies('mcp.server.fault');
    const registry = createRegistry([
      bindTool({ name: 'fail', description: 'Fails.', parameters: {} }, () => {
        throw new Error('the disk is full');
      }),
    ]);
    const result = await (await connectTo(registry)).callTool({ name: 'fail' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('the disk is full') as string }],
    });
  });

  test('an unknown tool is a protocol error that names the nearest one', async () => {
    verifies('mcp.server.fault');
    const registry = createRegistry([bindTool({ name: 'read_file', description: 'Reads.', parameters: {} }, () => '')]);
    const client = await connectTo(registry);
    for (const name of ['read_flie', '__proto__', 'constructor'])
      await expect(client.callTool({ name })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.callTool({ name: 'read_flie' })).rejects.toThrow(/read_file/);
  });

  test('a malformed request is a protocol error, and the server goes on', async () => {
    verifies('mcp.server.fault');
    const client = await connectTo(mockToolset([mockTool('fine', 'ok')]));
    const raw = (method: string, params: Record<string, unknown>) =>
      client.request({ method, params } as { method: 'ping' });
    await expect(raw('tools/call', { name: 5 })).rejects.toMatchObject({ code: -32_602 });
    await expect(raw('tools/call', { name: 'fine', arguments: [1] })).rejects.toMatchObject({ code: -32_602 });
    await expect(raw('tools/list', { cursor: 'page 2' })).rejects.toThrow(/page 2/);
    await expect(raw('tools/list', { cursor: 7 })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.callTool({ name: 'fine' })).resolves.toMatchObject({ content: [{ text: 'ok' }] });
  });

  test('a tool that itself found no tool has failed; the request was fine', async () => {
    const toolset = mockToolset([mockTool('outer', { forLLM: 'no inner', isError: true, code: 'TOOL_NOT_FOUND' })]);
    const client = await connectTo(toolset);
    await expect(client.callTool({ name: 'outer' })).resolves.toMatchObject({ isError: true });
  });

  test('a name that the toolset does not list but knows is called', async () => {
    const toolset: Toolset = {
      list: () => [],
      prepare: ({ name, arguments: text }) => ({
        tool: plainTool(name),
        arguments: text,
        run: () => Promise.resolve({ forLLM: `found ${name}` }),
      }),
    };
    const client = await connectTo(toolset);
    expect((await client.listTools()).tools).toEqual([]);
    await expect(client.callTool({ name: 'secret' })).resolves.toMatchObject({ content: [{ text: 'found secret' }] });
  });

  test('a toolset that breaks its contract cannot break the server', async () => {
    verifies('mcp.server.fault', 'mcp.unreadable');
    const broken = { list: () => [plainTool('x')], listFor: () => Promise.reject(new Error('no turn')) };
    const hostile: Record<string, Toolset> = {
      'no turn': { ...broken, prepare: () => Promise.reject(new Error('no call')) },
      'no list': {
        list() {
          throw new Error('no list');
        },
        prepare() {
          throw new Error('no call');
        },
      },
    };
    for (const [why, toolset] of Object.entries(hostile)) {
      const client = await connectTo(toolset);
      await expect(client.listTools()).rejects.toThrow(why);
      const result = await client.callTool({ name: 'x' });
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain('no call');
      await expect(client.ping()).resolves.toEqual({});
    }
    const silent = await connectTo(toToolset({ ...changeable('x'), call: () => Promise.resolve(undefined as never) }));
    const ran = await silent.callTool({ name: 'x' });
    expect(ran.isError).not.toBe(true);
    expect(JSON.stringify(ran.content)).toContain('ran to its end, but its result cannot be read');
  });
});

describe('progress and cancellation', () => {
  const reporting = (): Toolset & { late(): void } => {
    let report: ((update: string) => void) | undefined;
    const toolset = toToolset({
      list: () => [plainTool('work')],
      call(_call: ToolCall, { onProgress }) {
        report = onProgress;
        for (const update of ['one', 'two', 'three']) onProgress?.(update);
        return Promise.resolve({ forLLM: 'done' });
      },
    });
    return { ...toolset, late: () => report?.('late') };
  };

  test('updates reach a client that asked for them, counted, in order, and none after the end', async () => {
    verifies('mcp.server.call');
    const toolset = reporting();
    const client = await connectTo(toolset);
    const received: unknown[] = [];
    const onerror = vi.fn<(error: Error) => void>(); // called for progress of unknown requests
    Object.assign(client, { onerror });
    await client.callTool({ name: 'work' }, { onprogress: (progress) => void received.push(progress) });
    toolset.late();
    await client.ping();
    expect(received).toEqual([
      { progress: 1, message: 'one' },
      { progress: 2, message: 'two' },
      { progress: 3, message: 'three' },
    ]);
    expect(onerror).not.toHaveBeenCalled();
  });

  test('a client that did not ask gets no progress', async () => {
    const client = await connectTo(reporting());
    const fallback = vi.fn<() => Promise<void>>();
    client.fallbackNotificationHandler = fallback;
    await client.callTool({ name: 'work' });
    expect(fallback).not.toHaveBeenCalled();
  });

  test('a cancellation aborts the handler', async () => {
    verifies('mcp.server.lifecycle');
    const toolset = hanging();
    const client = await connectTo(toolset);
    const stop = new AbortController();
    const call = client.callTool({ name: 'hang' }, { signal: stop.signal });
    await toolset.began;
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await toolset.aborted;
    await expect(client.ping()).resolves.toEqual({});
  });

  test('a client that disconnects aborts its calls, and the server closes without waiting for a hung handler', async () => {
    verifies('mcp.server.lifecycle');
    const toolset = hanging();
    const server = new McpServer(info);
    const client = await connectTo(toolset, server);
    const call = client.callTool({ name: 'hang' }).catch(() => {});
    await toolset.began;
    await client.close();
    expect(await toolset.aborted).toBeDefined();
    await server.close();
    await call;
  });
});

describe('changes', () => {
  const listening = async (toolset: Toolset) => {
    const client = await connectTo(toolset);
    const changed = vi.fn<() => void>();
    client.setNotificationHandler('notifications/tools/list_changed', changed);
    return { client, changed };
  };

  test('are announced once per tick, and the next list shows them', async () => {
    verifies('mcp.server.changed');
    const toolset = changeable('a');
    const { client, changed } = await listening(toolset);
    for (let index = 0; index < 50; index += 1) toolset.set('a', `b${index}`);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), 60_000);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a', 'b49']);
    toolset.set();
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2), 60_000);
  });

  test('of a registry are announced; its calls are not changes', async () => {
    verifies('mcp.server.changed');
    const registry = createRegistry([bindTool({ name: 'a', description: 'A.', parameters: {} }, () => '')]);
    const { client, changed } = await listening(registry);
    await client.callTool({ name: 'a' });
    expect(changed).not.toHaveBeenCalled();
    registry.unregister('a');
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), 60_000);
  });

  test('that a list itself causes are in it, and not announced to the client that listed', async () => {
    const toolset = changeable('a');
    const turning: Toolset = {
      ...toolset,
      listFor: ({ turn }) => {
        toolset.set('a', `turn_${turn}`);
        return Promise.resolve(toolset.list());
      },
    };
    const { client, changed } = await listening(turning);
    expect((await client.listTools()).tools[1]?.name).toBe('turn_1');
    expect((await client.listTools()).tools[1]?.name).toBe('turn_2');
    await client.ping();
    expect(changed).not.toHaveBeenCalled();
  });

  test('are declared only for a toolset with subscribe', async () => {
    const able = await connectTo(changeable('a'));
    expect(able.getServerCapabilities()?.tools).toEqual({ listChanged: true });
    const unable = await connectTo(mockToolset([]));
    expect(unable.getServerCapabilities()?.tools).toEqual({});
  });

  test('a toolset whose unsubscribe throws does not keep the server from closing', async () => {
    const subscribe = () => () => {
      throw new Error('no way out');
    };
    const server = new McpServer(info);
    const undo = mountTools(server, { ...changeable('a'), subscribe });
    expect(undo).not.toThrow();
    await expect(server.close()).resolves.toBeUndefined();
  });

  test('unmounting leaves no listener, and may be done twice', async () => {
    const toolset = changeable('a');
    const undo = mountTools(new McpServer(info), toolset);
    expect(toolset.listeners).toBe(1);
    toolset.set('b'); // nobody is connected
    undo();
    undo();
    toolset.set('c');
    await Promise.resolve();
    expect(toolset.listeners).toBe(0);
  });
});

describe('turns', () => {
  const counting = (): { toolset: Toolset; turns: number[] } => {
    const turns: number[] = [];
    const toolset = changeable('a');
    const listFor: Toolset['listFor'] = ({ turn }) => {
      turns.push(turn);
      return Promise.resolve(toolset.list());
    };
    return { toolset: { ...toolset, listFor }, turns };
  };

  test('begin with each list, and with a first call that no list came before', async () => {
    const { toolset, turns } = counting();
    const client = await connectTo(toolset);
    await client.callTool({ name: 'a' });
    await client.callTool({ name: 'a' });
    expect(turns).toEqual([1]);
    await client.listTools();
    await client.listTools();
    await client.callTool({ name: 'a' });
    expect(turns).toEqual([1, 2, 3]);
  });

  test('that hang are left when the client cancels', async () => {
    const began = signalled();
    const toolset: Toolset = {
      ...changeable('a'),
      listFor() {
        began.resolve();
        return new Promise(() => {});
      },
    };
    const client = await connectTo(toolset);
    const stop = new AbortController();
    const listed = client.listTools(undefined, { signal: stop.signal });
    await began.happened;
    stop.abort(new Error('enough'));
    await expect(listed).rejects.toThrow('enough');
  });
});

describe('mounting', () => {
  test('leaves room for resources and prompts of the same server', async () => {
    const server = new McpServer(info);
    server.registerResource('note', 'note://1', {}, () => ({ contents: [{ uri: 'note://1', text: 'hi' }] }));
    server.registerPrompt('greet', {}, () => ({ messages: [] }));
    const client = await connectTo(mockToolset([mockTool('a', 'ok')]), server);
    expect((await client.listResources()).resources).toHaveLength(1);
    expect((await client.listPrompts()).prompts).toHaveLength(1);
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  test('takes the low-level server too', () => {
    // oxlint-disable-next-line typescript/no-deprecated -- its own callers have it
    const server = new Server(info, { capabilities: {} });
    mountTools(server, changeable('a'))();
    expect(server.getCapabilities().tools).toEqual({ listChanged: true });
  });

  test('twice, beside tools of the server, or after connect is refused with what to do', async () => {
    const own = new McpServer(info);
    own.registerTool('mine', {}, () => ({ content: [] }));
    const mounted = new McpServer(info);
    mountTools(mounted, changeable('a'))();
    const connected = new McpServer(info);
    await connectTo(changeable('a'), connected);
    for (const server of [own, mounted, connected]) {
      const mount = (): unknown => mountTools(server, changeable('b'));
      expect(mount).toThrow(KernelError);
      expect(mount).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
  });
});

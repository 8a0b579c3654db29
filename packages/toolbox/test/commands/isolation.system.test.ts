import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type CommandOptions,
  containerIsolation,
  detectIsolation,
  type Isolation,
  sandboxExec,
} from '../../src/commands/index.ts';
import { isolations, processesWith } from './isolations.ts';
import { commands, emptyFolder, PLACES, progress, virtualTimers } from './support.ts';

/** How a shell in a terminal says that there is no such program. */
const EXIT_127: unknown = expect.objectContaining({ exitCode: 127 });

for (const { name, isolation, feature, isInTerminal, place } of isolations.flatMap((way) =>
  PLACES.map((where) => ({ ...way, ...where })),
))
  describe(`a command isolated by ${name} ${place}`, feature.options, () => {
    it('reads and writes its folder', async () => {
      const { run, folder } = await commands({ isInTerminal, isolation });
      writeFileSync(join(folder, 'a.txt'), 'content');
      const result = await run([
        'bash',
        '-c',
        'cat a.txt; echo new > b.txt; mkdir sub; pwd; echo x > /tmp/y && echo tmp',
      ]);
      expect(result.forLLM).toContain(`content${folder}\ntmp`);
      expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('new\n');
      expect(existsSync('/tmp/y')).toBe(false);
    });

    it('reads nothing outside of it', async () => {
      verifies('toolbox.isolation');
      const outside = await emptyFolder();
      writeFileSync(join(outside, 'secret'), 'the secret');
      const { run } = await commands({ isInTerminal, isolation });
      const paths = [join(outside, 'secret'), '/etc/shadow', '/etc/hostname', join(homedir(), '.profile'), outside];
      const { forLLM } = await run([
        'bash',
        '-c',
        'for path; do cat "$path" 2>&1 || ls "$path" 2>&1; done',
        'x',
        ...paths,
      ]);
      expect(forLLM).not.toContain('the secret');
      for (const path of paths)
        for (const program of ['cat', 'ls'])
          expect(forLLM).toMatch(new RegExp(`^${program}: .*${path}["']?: No such file`, 'm'));
      const names = await run(['ls', '/proc/1/root/', '/root', '/home', '/var', '/proc/1/cwd/']);
      expect(names.forLLM).not.toContain('secret');
    });

    it('writes nothing outside of it', async () => {
      const outside = await emptyFolder();
      const { run } = await commands({ isInTerminal, isolation });
      const paths = [outside, '/usr', '/usr/bin', '/etc', '/', '/proc/sys/kernel', '/dev'];
      const script =
        'for path; do echo x > "$path/written"; mkdir -p "$path/made"; chmod 777 "$path"; done; echo tried';
      expect((await run(['bash', '-c', script, 'x', ...paths])).forLLM).toContain('tried');
      expect(existsSync(join(outside, 'written'))).toBe(false);
      for (const path of ['/usr', '/usr/bin', '/etc', '/']) expect(existsSync(join(path, 'written'))).toBe(false);
    });

    it('reaches neither loopback nor anything else, unless the network is allowed', async () => {
      let requests = 0;
      const server = createServer((_request, response) => {
        requests += 1;
        response.end('reached');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
      const closed = await (await commands({ isInTerminal, isolation })).run(['bash', '-c', script]);
      expect(closed.forLLM).not.toContain('reached');
      expect(requests).toBe(0);
      const open = await (await commands({ isInTerminal, isolation, network: true })).run(['bash', '-c', script]);
      expect(open.forLLM).toContain('reached');
    });

    it('has no capability, cannot mount and cannot see or end other processes', async () => {
      const { run } = await commands({ isInTerminal, isolation });
      const status = await run(['cat', '/proc/self/status']);
      expect(status.forLLM).toMatch(/CapEff:\s+0000000000000000/);
      expect(status.forLLM).toMatch(/CapBnd:\s+0000000000000000/);
      expect((await run(['mount', '-t', 'tmpfs', 'x', '/tmp'])).data).not.toMatchObject({ exitCode: 0 });
      const own = await run(['bash', '-c', `kill -0 ${process.pid} && echo alive; ls /proc | grep -c '^[0-9]'`]);
      expect(own.forLLM).not.toContain('alive');
    });

    it('cannot change the repository, whose hooks and config Git would run outside later', async () => {
      const { run, folder } = await commands({ isInTerminal, isolation });
      execFileSync('git', ['init', '-q', folder]);
      const before = readFileSync(join(folder, '.git/config'), 'utf8');
      const script = [
        'echo x > .git/hooks/pre-commit',
        'echo x >> .git/config',
        'echo /tmp > .git/commondir',
        'mv .git .g',
        'rm -rf .git',
        'git config core.fsmonitor x',
        'git status',
      ].join('; ');
      expect((await run(['bash', '-c', script])).forLLM).toContain('No commits yet');
      for (const path of ['hooks/pre-commit', 'commondir']) expect(existsSync(join(folder, '.git', path))).toBe(false);
      expect(readFileSync(join(folder, '.git/config'), 'utf8')).toBe(before);
    });

    it('commits where the repository may be written', async () => {
      const { run, folder } = await commands({ isInTerminal, isolation, gitWritable: true });
      execFileSync('git', ['init', '-q', folder]);
      const script =
        'echo a > a; git add a; git -c user.name=a -c user.email=a@example.com commit -qm first; git log --oneline';
      expect((await run(['bash', '-c', script])).forLLM).toContain('first');
    });

    it('sees no more of a system whose PATH names the root, a home or a folder right below the root', async () => {
      const outside = await emptyFolder();
      writeFileSync(join(outside, 'secret'), 'the secret');
      for (const folder of ['/', '/tmp', '/var', homedir()]) {
        const PATH = `${folder}:/usr/bin:/bin`;
        const { run } = await commands({ isInTerminal, isolation, setVariables: { PATH } });
        const script = 'cat "$1/secret"; ls /var/log "$2/.profile"; echo done';
        const result = await run(['bash', '-c', script, 'bash', outside, homedir()]);
        expect(result.forLLM).toContain('done');
        expect(result.forLLM).not.toContain('the secret');
        expect(result.forLLM).not.toMatch(/^\/root\/\.profile$|dpkg/m);
      }
    });

    it('finds hidden files empty', async () => {
      const { run, folder } = await commands({ isInTerminal, isolation, hidden: ['.env', 'keys', 'missing'] });
      writeFileSync(join(folder, '.env'), 'KEY=secret');
      mkdirSync(join(folder, 'keys'));
      writeFileSync(join(folder, 'keys/a'), 'secret');
      const result = await run(['bash', '-c', 'cat .env keys/*; wc -c < .env']);
      expect(result.forLLM).not.toContain('secret');
    });

    it('ends with everything that it started, on the time limit', async () => {
      const { run } = await commands({ isInTerminal, isolation });
      const clock = virtualTimers();
      const { saw, onProgress } = progress();
      const mark = `mark-${randomUUID()}`;
      const script = `setsid bash -c 'echo "session 1"; sleep 100; echo' ${mark} & sleep 100`;
      const result = run(['bash', '-c', script], { timeout_seconds: 1 }, { onProgress });
      await saw('session');
      expect(processesWith(mark)).not.toEqual([]);
      await clock.advance(1000);
      expect(await result).toMatchObject({ outcome: 'timeout' });
      clock.end();
      // A process of its own session is in the same namespace, and dies with it.
      await vi.waitUntil(() => processesWith(mark).length === 0, { timeout: 60_000 });
    });

    it('runs programs, never a built-in of the shell that watches it, and what the shell says is no output', async () => {
      verifies('toolbox.isolation.plain');
      const { run, folder } = await commands({ isInTerminal, isolation });
      expect((await run(['echo', String.raw`a\nb\c hidden`])).forLLM).toContain(String.raw`a\nb\c hidden`);
      for (const command of [
        ['eval', 'echo hi > made'],
        ['exit', '3'],
        ['set'],
        ['ulimit', '-n'],
        ['exec', 'ls'],
        ['A=b', 'ls'],
      ])
        expect([command, await run(command)]).toEqual([
          command,
          expect.objectContaining({
            ...(isInTerminal ? { data: EXIT_127 } : { isError: true }),
            forLLM: expect.stringContaining('there is no program'),
          }),
        ]);
      expect(existsSync(join(folder, 'made'))).toBe(false);
      writeFileSync(join(folder, 'plain'), '#!/bin/sh\necho "$0" "$@"\n');
      mkdirSync(join(folder, 'sub'));
      for (const [program, said] of [
        ['no-such', 'there is no program "no-such" on the PATH'],
        ['./missing', 'there is no program "./missing"'],
        ['./plain', '"./plain" is not executable'],
        ['./sub', '"./sub" is not executable'],
      ] as const)
        expect((await run([program])).forLLM).toContain(isInTerminal ? said : `The command did not start: ${said}.`);
      writeFileSync(join(folder, 'own'), '#!/bin/sh\necho "own: $*"\n', { mode: 0o755 });
      expect((await run(['./own', '-a', 'b c', ''])).forLLM).toContain('own: -a b c ');
      expect((await run(['../own'], { cwd: 'sub' })).forLLM).toContain('own: ');
      expect((await run(['env'])).forLLM).not.toMatch(/^isolated_/m);
    });

    it('that its time limit ends has its own output, and not what a shell says about it', async () => {
      verifies('toolbox.isolation.plain');
      const { run } = await commands({ isInTerminal, isolation });
      const clock = virtualTimers();
      const { saw, onProgress } = progress();
      const result = run(['bash', '-c', 'echo "ran 1"; exec sleep 100'], { timeout_seconds: 1 }, { onProgress });
      await saw('ran');
      await clock.advance(1000);
      const { forLLM } = await result;
      expect(forLLM).toMatch(/longer than 1 s\.\nran 1\n*$/);
    });

    it('does not inherit the descriptor by which its start is announced', async () => {
      const { run } = await commands({ isInTerminal, isolation });
      const script = '[ -e /proc/self/fd/3 ] && echo inherited || echo closed';
      expect((await run(['bash', '-c', script])).forLLM).toContain('closed');
    });
  });

describe('detectIsolation', () => {
  let found: Isolation | undefined;
  beforeAll(async () => {
    found = (await detectIsolation()).isolation;
  });

  it('finds what works here, or says with every result that nothing does', async () => {
    verifies('toolbox.isolation.none');
    const ways = process.getuid?.() === 0 ? isolations.toReversed() : isolations;
    const expected = ways.find(({ feature }) => feature.present)?.name;
    expect(found?.name).toBe(process.platform === 'darwin' ? 'sandbox-exec' : expected);
    const { run } = await commands({ isolation: 'auto' });
    const { forLLM } = await run(['true']);
    expect(forLLM.includes('no way to isolate')).toBe(found === undefined);
  });

  it('runs nothing where isolation is required and there is none', async () => {
    if (found !== undefined) return;
    const { run } = await commands({ isolation: 'required' });
    expect(await run(['true'])).toMatchObject({ isError: true });
  });
});

describe('an isolation that takes long to set up', () => {
  /** Announces the start once there is a file `go`. */
  const slow: Isolation = {
    name: 'slow',
    wrap: ({ command, folder, variables }) => ({
      program: '/bin/sh',
      args: ['-c', SETUP, 'sh', join(folder, 'go'), ...command],
      variables,
      announcesStart: true,
    }),
  };
  const SETUP = 'go=$1; shift; echo setup; until [ -e "$go" ]; do sleep 0.01; done; printf . >&3; exec 3>&-; exec "$@"';

  it('takes nothing of the time limit of the command', async () => {
    verifies('toolbox.commands.limit');
    const { run, folder } = await commands({ isolation: slow });
    const clock = virtualTimers();
    const { saw, onProgress } = progress();
    const result = run(['bash', '-c', 'echo "ran 1"; sleep 100'], { timeout_seconds: 2 }, { onProgress });
    let end: unknown;
    void result.then((value) => (end = value));
    await saw('setup');
    await clock.advance(50_000);
    writeFileSync(join(folder, 'go'), '');
    await saw('ran');
    await clock.advance(1999);
    await new Promise(setImmediate);
    expect(end).toBeUndefined();
    await clock.advance(1);
    expect((await result).forLLM).toContain('longer than 2 s');
  });

  it('is given up after a minute, and the result says that the command did not start', async () => {
    verifies('toolbox.commands.limit');
    const { run } = await commands({ isolation: slow, timeoutMs: Infinity });
    const clock = virtualTimers();
    const { saw, onProgress } = progress();
    const result = run(['true'], {}, { onProgress });
    await saw('setup');
    await clock.advance(60_000);
    expect(await result).toMatchObject({ isError: true, forLLM: expect.stringContaining('the command did not start') });
  });
});

describe('a container', () => {
  /** A program in place of the engine, which takes what comes behind `--` and the image for the command. */
  const withEngine = async (script: string, options: Partial<CommandOptions> = {}) => {
    const bin = await emptyFolder();
    writeFileSync(join(bin, 'nerdctl'), `#!/bin/bash\n${script}`, { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
    onTestFinished(() => void vi.unstubAllEnvs());
    return commands({ isolation: containerIsolation({ image: 'x', engine: 'nerdctl' }), ...options });
  };
  const RUN = 'while [ "$1" != -- ]; do shift; done; shift 2; exec "$@"';

  it('takes nothing of the time limit of its command to start, and what its engine says is no output', async () => {
    verifies('toolbox.commands.limit');
    const { run, folder } = await withEngine(
      `[ "$1" = kill ] && exit 0; echo "loading" >&2; mkfifo setup; cat setup > /dev/null; printf 'half of a line' >&2; ${RUN}`,
    );
    const clock = virtualTimers();
    const { saw, onProgress } = progress();
    const result = run(
      ['bash', '-c', 'echo error >&2; echo "ran 1"; sleep 100'],
      { timeout_seconds: 2 },
      { onProgress },
    );
    await vi.waitUntil(() => existsSync(join(folder, 'setup')), { timeout: 60_000 });
    await clock.advance(70_000);
    writeFileSync(join(folder, 'setup'), '');
    await saw('ran');
    await clock.advance(2000);
    const { forLLM } = await result;
    expect(forLLM).toContain('longer than 2 s');
    expect(forLLM).not.toMatch(/loading|half|started-/);
    expect(forLLM.split('\n').slice(1).filter(Boolean).toSorted()).toEqual(['error', 'ran 1']);
  });

  it('whose engine fails is told as a command that did not start, with what the engine says', async () => {
    verifies('toolbox.commands.limit');
    const { run } = await withEngine('echo "Cannot connect to the daemon." >&2; exit 125');
    expect(await run(['true'])).toMatchObject({
      isError: true,
      forLLM: expect.stringContaining('The command did not start: Cannot connect to the daemon.'),
    });
    const silent = await withEngine('exit 125');
    expect((await silent.run(['true'])).forLLM).toContain(
      'The command did not start: the isolation ended with exit code 125.',
    );
  });

  it('runs a program as it is named, with its exit code', async () => {
    verifies('toolbox.isolation.plain');
    const { run } = await withEngine(RUN);
    expect((await run(['bash', '-c', 'echo "$1"; exit 3', 'x', 'a  b'])).forLLM).toMatch(
      /^Exit code 3 [^]*\na {2}b\n$/,
    );
    expect((await run(['no-such'])).forLLM).toContain('did not start: there is no program "no-such" on the PATH');
  });
});

describe('isolation that cannot be tried here', () => {
  const request = {
    command: ['npm', 'test'],
    folder: '/srv/a "b"',
    cwd: '/srv/a "b"/sub',
    variables: { PATH: '/usr/bin', CI: '1' },
    network: false,
    readable: [],
    hidden: ['/srv/a "b"/.env'],
    gitWritable: false,
  };

  it('a container has the folder alone, no network and no capability, and can be ended by its name', async () => {
    const bin = await emptyFolder();
    writeFileSync(join(bin, 'podman'), '', { mode: 0o755 });
    vi.stubEnv('PATH', bin);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { args, program, stop } = containerIsolation({ image: 'node:24', engine: 'podman' }).wrap(request);
    for (const path of [program, stop?.program]) expect(path).toMatch(/^\/.*\/podman$/);
    const line = args.join(' ');
    for (const part of ['--network none', '--cap-drop ALL', '--read-only', '--env CI=1', '-- node:24 /bin/sh -c'])
      expect(line).toContain(part);
    expect(line).not.toContain('--env PATH=');
    expect(args.slice(-2)).toEqual(['npm', 'test']);
    expect(stop?.args).toEqual(['kill', args[args.indexOf('--name') + 1]]);
  });

  it('the profile of macOS denies by default and quotes paths', () => {
    const { args } = sandboxExec().wrap(request);
    expect(args[1]).toContain('(deny default)');
    expect(args[1]).toContain(String.raw`(subpath "/srv/a \"b\"")`);
    expect(args[1]).not.toContain('network');
  });
});

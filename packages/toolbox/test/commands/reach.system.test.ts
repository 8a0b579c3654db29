import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LIMITS, PROCESSES, TMP_BYTES } from '../../src/commands/isolation/limits.ts';
import { DEVICES, mountsOf, PROC_EMPTY } from '../../src/commands/isolation/mounts.ts';
import { isolations } from './isolations.ts';
import { commands, emptyFolder } from './support.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/in-isolation.ts', import.meta.url));
const PATH = '/usr/local/bin:/usr/bin:/bin';

/** The lines of a section of the output. */
const lines = (text: string, section: string): readonly string[] =>
  (`\n${text.split(`== ${section}\n`)[1] ?? ''}`.split('\n== ')[0] ?? '').split('\n').filter((line) => line !== '');

/** All that an isolated command can find out about what it reaches. */
const WALK = `
echo; echo "== mounts"; while read -r _ _ _ _ point flags _; do echo "$point $flags"; done < /proc/self/mountinfo
echo "== descriptors"; for each in /proc/self/fd/*; do echo "$(readlink "$each")"; done
echo "== files"; find / -path /proc -prune -o -path "$1" -prune -o -path /tmp -prune -o -links +0 '(' '(' -type b -o -type c ')' -printf 'device %p\\n' , '(' -type s -o -type p ')' -printf 'socket %p\\n' , -writable '!' -type l '!' -type c -printf 'writable %p\\n' ')' 2>/dev/null
echo "== proc"; find /proc -path '/proc/[0-9]*' -prune -o -writable '!' -type l -print 2>/dev/null
echo "== namespaces"; cat /proc/sys/user/max_user_namespaces
echo "== capabilities"; grep Cap /proc/self/status
echo "== privileges"; grep NoNewPrivs /proc/self/status
echo "== keys"; cat /proc/keys 2>/dev/null
echo "== limits"; cat /proc/self/limits
echo "== processes"; ls /proc | grep -c '^[0-9]'
`;

for (const { name, isolation, feature } of isolations)
  describe(`all that a command isolated by ${name} reaches`, feature.options, () => {
    it('is what the table of the isolation names, with these rights', async () => {
      verifies('toolbox.isolation.reach');
      const { run, folder } = await commands({ isolation, hidden: ['a/keys', '.env'], setVariables: { PATH } });
      mkdirSync(join(folder, 'a/keys'), { recursive: true });
      writeFileSync(join(folder, '.env'), 'secret');
      mkdirSync(join(folder, '.git'));
      writeFileSync(join(folder, '.git/config'), '');
      writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
      const rows = mountsOf({
        command: [],
        folder,
        cwd: folder,
        variables: { PATH },
        network: false,
        readable: [],
        hidden: [join(folder, 'a/keys'), join(folder, '.env')],
        gitWritable: false,
      });
      const { forLLM } = await run(['/bin/sh', '-c', WALK, 'sh', folder]);

      const rights = new Map(lines(forLLM, 'mounts').map((line) => line.split(' ') as [string, string]));
      const known = [...rows.map(({ path }) => path), '/', '/tmp', '/run', '/dev', '/proc'];
      for (const [point, flags] of rights) {
        expect(known.some((path) => path === point || (path !== '/' && point.startsWith(`${path}/`)))).toBe(true);
        expect(flags).toContain('nosuid');
        expect(point.startsWith('/dev/') || flags.includes('nodev')).toBe(true);
      }
      for (const { how, path } of rows)
        expect([path, rights.get(path)?.split(',')[0]]).toEqual([
          path,
          how === 'write' || how === 'pinned' ? 'rw' : 'ro',
        ]);
      for (const path of ['/', '/dev', '/run']) expect(rights.get(path) ?? 'ro').toMatch(/^ro/);

      const masked = new Set(PROC_EMPTY.map((each) => `/proc/${each}`));
      expect(lines(forLLM, 'proc').filter((path) => !masked.has(path))).toEqual([]);
      // Bubblewrap has terminals of its own.
      const extra = name === 'bubblewrap' ? ['device /dev/tty', 'device /dev/pts/ptmx', 'writable /dev/pts'] : [];
      expect(lines(forLLM, 'files').toSorted()).toEqual(
        [...DEVICES.map((each) => `device /dev/${each}`), ...extra].toSorted(),
      );
      // Bubblewrap allows user namespaces of its own.
      expect(lines(forLLM, 'namespaces')).toEqual([expect.stringMatching(name === 'bubblewrap' ? /^\d+$/ : /^0$/)]);
      for (const line of lines(forLLM, 'capabilities')) expect(line).toMatch(/:\s0{16}$/);
      expect(lines(forLLM, 'privileges')).toEqual([expect.stringMatching(/1$/)]);
      expect(lines(forLLM, 'keys')).toEqual([]);
      expect(lines(forLLM, 'limits')).toEqual(
        expect.arrayContaining([expect.stringMatching(/^Max file size +17179869184 /)]),
      );
      expect(Number(lines(forLLM, 'processes')[0])).toBeLessThan(10);
    });

    it('holds no descriptor that this program inherited', async () => {
      verifies('toolbox.isolation.reach');
      const [root, outside] = [await emptyFolder(), await emptyFolder()];
      writeFileSync(join(outside, 'secret'), 'the secret');
      const script = `cat /proc/self/fd/200 /proc/self/fd/201/secret /proc/self/fd/9; echo x > /proc/self/fd/201/made
        chmod 777 /proc/self/fd/200 && echo changed; ls -l /proc/self/fd`;
      const child = spawn(process.execPath, [...process.execArgv, PROGRAM, root, '/usr/share', script], {
        stdio: Array.from({ length: 202 }, (_, at) => {
          if (at === 1) return 'pipe';
          if (at === 200 || at === 9) return openSync(join(outside, 'secret'), 'r');
          return at === 201 ? openSync(outside, 'r') : 'ignore';
        }),
        env: { ...process.env, ...(name === 'bubblewrap' ? {} : { PATH }) },
      });
      let said = '';
      child.stdout?.on('data', (bytes: Buffer) => (said += bytes.toString()));
      await once(child, 'close');
      expect(said).toContain('200 ->');
      expect(said).not.toMatch(/the secret|changed/);
      expect(said).not.toContain(outside);
      expect(readdirSync(outside)).toEqual(['secret']);
    });

    it('is not the session keyring, where the system has a program that leaves one', async () => {
      verifies('toolbox.isolation.reach');
      const numbers = { arm64: [219, 217], x64: [250, 248] } as Partial<Record<string, readonly number[]>>;
      const [keyctl, add] = numbers[process.arch] ?? [];
      const perl = findProgram('perl');
      if (perl === undefined || keyctl === undefined) return;
      const read = `my $id = syscall(${keyctl}, 10, -3, my $t = "user", my $d = "own", 0); print $id < 0 ? "none" : "found"`;
      const keep = `syscall(${keyctl}, 1, 0); syscall(${add}, my $t = "user", my $d = "own", my $p = "x", 1, -3); exec @ARGV`;
      const root = await emptyFolder();
      const node = [process.execPath, ...process.execArgv, PROGRAM, root, '/usr/share', `perl -e '${read}'`];
      const env = { ...process.env, ...(name === 'bubblewrap' ? {} : { PATH }) };
      const outside = execFileSync(perl, ['-e', keep, perl, '-e', read], { encoding: 'utf8' });
      const inside = execFileSync(perl, ['-e', keep, ...node], { env, encoding: 'utf8' });
      // A container may refuse the calls, to its commands as well.
      expect(['found', 'none']).toContain(outside);
      expect(inside).toContain('none');
    });

    it('is, of a home with the programs of many tools, these programs alone', async () => {
      verifies('toolbox.isolation.programs.path');
      const home = await emptyFolder();
      const tools =
        '.cargo .docker .fly .pulumi .railway .deno .bun .krew .foundry .local .volta .nvm/versions/node/v26.0.0 .pyenv go sdk/go1.26 .config/tool google-cloud-sdk .composer/vendor'.split(
          ' ',
        );
      for (const tool of tools) {
        mkdirSync(join(home, tool, 'bin'), { recursive: true });
        mkdirSync(join(home, tool, 'lib'));
        writeFileSync(join(home, tool, 'lib/library'), 'library');
        const program = `tool-${tools.indexOf(tool)}`;
        writeFileSync(join(home, tool, 'bin', program), '#!/bin/sh\necho "ran $0"\n', { mode: 0o755 });
        for (const file of ['credentials.toml', 'config.json', 'config.yml', '.token', 'access'])
          writeFileSync(join(home, tool, file), `the secret of ${tool}`, { mode: 0o600 });
        if (dirnameOf(tool) !== '') writeFileSync(join(home, dirnameOf(tool), 'auth.json'), 'the secret beside');
      }
      const all = tools.map((tool) => join(home, tool, 'bin'));
      const { run } = await commands({ isolation, setVariables: { PATH: [...all, PATH].join(':'), HOME: home } });
      const script = `for n in ${tools.map((_, at) => at).join(' ')}; do tool-$n; done; grep -rs "the secret" "$1"; echo done`;
      const { forLLM } = await run(['/bin/sh', '-c', script, 'sh', home]);
      expect(forLLM.match(/^ran /gm)?.length).toBe(tools.length);
      expect(forLLM).toContain('done');
      expect(forLLM).not.toContain('the secret');
    });

    it('cannot be made to reach more: what is hidden keeps its place, and so do the folders above it', async () => {
      verifies('toolbox.isolation.place');
      const { run, folder } = await commands({ isolation, hidden: ['.config/tool'] });
      mkdirSync(join(folder, '.config/tool'), { recursive: true });
      writeFileSync(join(folder, '.config/tool/rules'), 'mine');
      const script = `mv .config .old; mv .config/tool .config/old; rm -rf .config; rmdir .config/tool
        mkdir -p .config/tool; echo yours > .config/tool/rules; echo other > .config/other`;
      await run(['/bin/sh', '-c', script]);
      expect(readFileSync(join(folder, '.config/tool/rules'), 'utf8')).toBe('mine');
      expect(readdirSync(folder)).toEqual(['.config']);
      expect(existsSync(join(folder, '.config/other'))).toBe(true);
    });

    it('cannot change the hooks and the config that the repository names in the workspace', async () => {
      verifies('toolbox.isolation.repository');
      const { run, folder } = await commands({ isolation, setVariables: { PATH } });
      const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
      git('init', '-q');
      mkdirSync(join(folder, 'a b/hooks'), { recursive: true });
      writeFileSync(join(folder, 'own.config'), '');
      git('config', 'core.hooksPath', 'a b/hooks');
      git('config', 'include.path', '../own.config');
      const script = `echo x > 'a b/hooks/pre-commit'; mv 'a b' c; rm -rf 'a b'; echo '[alias]' >> own.config; mv own.config d
        rm -f own.config; echo x > .git/hooks/pre-commit; mkdir -p 'a b/other'; echo x > 'a b/other/made'`;
      await run(['/bin/sh', '-c', script]);
      expect(readdirSync(folder).toSorted()).toEqual(['.git', 'a b', 'own.config']);
      expect(readdirSync(join(folder, 'a b')).toSorted()).toEqual(['hooks', 'other']);
      expect(readdirSync(join(folder, 'a b/hooks'))).toEqual([]);
      expect(readFileSync(join(folder, 'own.config'), 'utf8')).toBe('');
      expect(existsSync(join(folder, '.git/hooks/pre-commit'))).toBe(false);
      expect(existsSync(join(folder, 'a b/other/made'))).toBe(true);
    });

    it('has no place for a repository where there is none, and leaves nothing of that behind', async () => {
      verifies('toolbox.isolation.place');
      const { run, use, folder } = await commands({ isolation });
      const script = 'git init -q .; mkdir .git; mv .git .g; rmdir .git; echo x > .git/config; echo tried > file';
      await Promise.all([1, 2, 3].map(() => run(['/bin/sh', '-c', script])));
      await run(['/bin/sh', '-c', `${script}; echo x > running; sleep 60`], { background: true });
      await vi.waitUntil(() => existsSync(join(folder, 'running')), { timeout: 60_000 });
      expect(readdirSync(folder).toSorted()).toEqual(['.git', 'HEAD', 'file', 'running']);
      // What the user makes meanwhile stays, and the command does not see it.
      execFileSync('git', ['init', '-q', folder]);
      await use('stop_command', { id: 'command-1' });
      expect(readFileSync(join(folder, '.git/config'), 'utf8')).toContain('[core]');
      expect(readdirSync(join(folder, '.git')).filter((each) => each.startsWith('isolated'))).toEqual([]);
      const other = await commands({ isolation });
      await other.run(['/bin/sh', '-c', script]);
      expect(readdirSync(other.folder)).toEqual(['file']);
      const bare =
        'mkdir objects refs; rmdir HEAD; mv HEAD old; echo "ref: refs/heads/main" > HEAD; printf "[core]\nfsmonitor = id" > config';
      await other.run(['/bin/sh', '-c', bare]);
      expect(readdirSync(other.folder).toSorted()).toEqual(['config', 'file', 'objects', 'refs']);
    });

    it('is no file that others run with the rights of this user afterwards', async () => {
      verifies('toolbox.isolation.setid');
      const { run, folder } = await commands({ isolation });
      const { mode } = statSync(tmpdir());
      onTestFinished(() => chmodSync(tmpdir(), mode));
      writeFileSync(join(folder, 'before'), '');
      chmodSync(join(folder, 'before'), 0o4755);
      const make = [
        '/bin/sh',
        '-c',
        `mkdir -p sub; cp /bin/true sub/made; chmod 6755 sub/made
          name=$(printf 'closed/\\377'); mkdir -p closed; cp /bin/true "$name"; chmod 4755 "$name"; chmod 311 closed`,
      ];
      const bits = (path: string) => statSync(join(folder, path)).mode & 0o6000;
      // Other users cannot enter the folder, then they can.
      expect((await run(make)).forLLM).not.toContain('removed');
      expect(bits('sub/made')).toBe(0o6000);
      for (const each of [folder, tmpdir()]) chmodSync(each, 0o711);
      expect((await run(make)).forLLM).toMatch(
        /Set-user-ID and set-group-ID were removed from files that it left \(.*\bsub\/made\b.*\)/,
      );
      expect([bits('sub/made'), bits('before')]).toEqual([0, 0o4000]);
      chmodSync(join(folder, 'closed'), 0o755);
      const [other = Buffer.of()] = readdirSync(join(folder, 'closed'), { encoding: 'buffer' });
      expect(statSync(Buffer.concat([Buffer.from(join(folder, 'closed/')), other])).mode & 0o6000).toBe(0);
    });

    it('has limits, and a result that looks as if one was reached says which', async () => {
      verifies('toolbox.isolation.limits');
      const { run } = await commands({ isolation });
      const file = await run(['/bin/sh', '-c', 'truncate -s 20G big']);
      expect(file.forLLM).toContain(`It may have reached a limit of isolated commands: ${LIMITS}.`);
      expect((await run(['/bin/sh', '-c', 'exit 3'])).forLLM).not.toContain('limit of isolated commands');
      const { forLLM } = await run([
        '/bin/bash',
        '-c',
        'cat /proc/sys/kernel/pid_max; ulimit -u; echo "memory $(ulimit -S -d)"; df -B1 --output=size /tmp; cat /proc/self/oom_score_adj',
      ]);
      expect(forLLM).toContain(`\n${PROCESSES}\n`);
      expect(forLLM).toContain(`memory ${Math.floor((totalmem() * 0.75) / 1024)}\n`);
      expect(Math.abs(Number(/1B-blocks\n\s*(\d+)/.exec(forLLM)?.[1]) - TMP_BYTES)).toBeLessThan(1_048_576);
      expect(forLLM).toContain('\n1000\n');
    });
  });

function dirnameOf(tool: string): string {
  return tool.split('/').slice(0, -1).join('/');
}

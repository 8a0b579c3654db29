/** What makes a program run another one, load code or write a file where its plain use does not. */
export interface UnsafeOptions {
  /** Long options, and those with one dash that are whole words; an abbreviation of one counts as well. */
  readonly long?: string;
  /** Letters of short options, alone or in a bundle. */
  readonly short?: string;
  /** Words without a dash, such as subcommands. */
  readonly words?: string;
  /** What words or options begin with. */
  readonly beginnings?: string;
  /** Any other form. */
  readonly pattern?: RegExp;
  /** Whether its long options have no abbreviations. */
  readonly isExact?: true;
}

/** Programs whose arguments are another program, or code. No argument of theirs is covered by a wildcard. */
export const RUNNERS: ReadonlySet<string> = new Set(
  [
    'sudo doas su runuser pkexec chroot unshare nsenter setpriv capsh systemd-run at batch crontab screen tmux expect script',
    'watch flock strace ltrace gdb lldb valgrind perf parallel ssh busybox toybox eval source . trap alias npx bunx pnpx uvx',
    'sed gsed awk gawk mawk nawk goawk ed ex vi view vim vimdiff rvim gvim nvim emacs nano pico micro hx kak joe less more most man info dc bc',
    'docker podman nerdctl kubectl osascript powershell pwsh cmd w3m lynx links elinks tclsh wish gnuplot octave sqlite3 psql mysql mariadb gs',
    'xargs env nice nohup timeout setsid stdbuf command exec builtin ionice taskset chrt time mapfile readarray complete compgen bind enable',
    'sh bash dash zsh ksh ash mksh fish csh tcsh rbash socat nc ncat netcat telnet rlwrap ld.so rundll32 wsl start open xdg-open',
    'hash fc history let declare typeset local export readonly unset read getopts set shopt',
    'cross-env dotenv entr nodemon concurrently npm-run-all ts-node tsx direnv chpst run-parts dbus-run-session faketime proxychains',
  ]
    .join(' ')
    .split(' '),
);

const TEST_RUNNER = {
  long: '--config --root --rootDir --rootdir --reporter --reporters --setupFiles --setupFilesAfterEnv --globalSetup --globalTeardown --environment --testEnvironment --testRunner --runner --resolver --transform --filter --testSequencer --snapshotSerializers --watchPlugins --preset --prettierPath --outputFile --coverageDirectory --cacheDirectory --execArgv --require --import --loader --experimental-loader --node-option --package --ui --api --dir --projects --pool --sequence.sequencer',
  short: 'crR',
  beginnings: '--coverage. --poolOptions --typecheck. --browser. --execArgv',
  isExact: true,
} as const;

/** The unsafe options of programs, by program name. Sources: their manuals, and gtfobins.github.io for which have any. */
export const UNSAFE_OPTIONS: Readonly<Record<string, UnsafeOptions>> = {
  git: {
    long: '--config-env --exec-path --exec --upload-pack --receive-pack --output --open-files-in-pager --ext-diff --textconv --filters --git-dir --work-tree --no-index --template --separate-git-dir --paginate --output-directory --namespace --super-prefix --sign --gpg-sign --verify-signatures --show-signature --edit --strategy --prefix',
    short: 'cCO',
    words:
      'config submodule bisect filter-branch difftool mergetool daemon send-email instaweb hook credential upload-pack receive-pack upload-archive archive rebase foreach worktree fast-import fast-export cvsserver shell http-backend remote-ext remote-fd remote gc maintenance clone fetch pull push ls-remote send-pack fetch-pack merge-index for-each-repo svn p4 cvsimport cvsexportcommit cvsexport gui citool gitk web--browse help imap-send bundle format-patch mailsplit subtree lfs scalar init replace',
    // Addresses of remotes that run a program.
    beginnings: 'ext:: fd::',
  },
  tar: {
    long: '--checkpoint-action --use-compress-program --to-command --info-script --new-volume-script --rsh-command --rmt-command --absolute-names --use-compress --files-from --directory --one-top-level --index-file --volno-file',
    short: 'IFPTC',
    // Letters without a dash, and archives of another host, which are fetched with rsh.
    pattern: /^(?=[A-Za-z]+$)(?:[IFPTC]|[A-Za-z]+[IFPTC])|:/,
  },
  find: { long: '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls' },
  fd: { long: '--exec --exec-batch', short: 'xX' },
  rg: { long: '--pre --hostname-bin --search-zip', short: 'z' },
  ack: { long: '--pager --ackrc --output', beginnings: '--type-' },
  ag: { long: '--pager', short: 'z' },
  ugrep: { long: '--filter --pager --save-config --view --query --config', short: 'Qz' },
  bat: { long: '--pager --config-file', words: 'cache' },
  delta: { long: '--pager --config' },
  sort: { long: '--compress-program --output --temporary-directory', short: 'oT' },
  split: { long: '--filter' },
  python: { short: 'cmiXW', long: '--command', words: '-' },
  node: {
    long: '--eval --print --require --import --loader --experimental-loader --experimental-default-type --inspect --inspect-brk --inspect-wait --inspect-port --env-file --env-file-if-exists --experimental-sea-config --build-sea --build-snapshot --build-snapshot-config --snapshot-blob --run --diagnostic-dir --cpu-prof --heap-prof --redirect-warnings --report-dir --report-directory --report-filename --trace-event-file-pattern --test-reporter --test-reporter-destination --test-global-setup --openssl-config --localstorage-file --experimental-config-file --experimental-default-config-file --interactive --watch-path --icu-data-dir',
    short: 'eprCi',
    words: '- inspect',
    isExact: true,
  },
  deno: {
    words: 'eval run install task serve x repl compile upgrade jupyter -',
    long: '--preload --import --import-map --config --require',
    short: 'Acr',
    beginnings: '--allow',
    isExact: true,
  },
  bun: {
    long: '--eval --print --preload --require --import --config --cwd --env-file --shell',
    short: 'eprc',
    words: 'x run exec create init install add publish repl upgrade pm -',
    isExact: true,
  },
  ruby: { short: 'eErICxXS', long: '--require', words: '-' },
  perl: { short: 'eEMmIiCxdDT', words: '-' },
  php: {
    short: 'rBRESdcza',
    long: '--run --process-begin --process-code --process-end --server --define --php-ini --zend-extension --interactive',
    words: '-',
  },
  lua: { short: 'eli', words: '-' },
  julia: { short: 'eELi', long: '--eval --print --load --sysimage', words: '-' },
  rscript: { short: 'e' },
  r: { short: 'ef', long: '--file --args' },
  scala: { short: 'e' },
  groovy: { short: 'e' },
  elixir: { short: 'erS', long: '--eval --require --rpc-eval' },
  java: { beginnings: '-javaagent -agent -XX:On -XX:Flags -Xrun -Xbootclasspath -XX:VMOptionsFile @' },
  rsync: {
    long: '--rsh --rsync-path --files-from --write-batch --only-write-batch --log-file --daemon --config --remote-option --temp-dir --backup-dir --partial-dir --early-input',
    short: 'eMT',
    pattern: /:/,
  },
  scp: { short: 'oSFDJ' },
  sftp: { short: 'oSbFDJ' },
  curl: {
    long: '--output --output-dir --remote-name --remote-name-all --config --upload-file --data --data-binary --data-ascii --data-urlencode --data-raw --json --form --form-string --cookie-jar --cookie --dump-header --trace --trace-ascii --stderr --libcurl --etag-save --ssl-sessions --hsts --alt-svc --unix-socket --abstract-unix-socket --proxy --preproxy --netrc-file --key --cert --engine --create-dirs --request --next --write-out --variable --quote --postquote --prequote --url-query --upload-flags',
    short: 'oOKTdFcDxEXwbQ',
    beginnings: '--expand- -H@ @',
  },
  wget: {
    long: '--output-document --output-file --append-output --directory-prefix --use-askpass --execute --input-file --input-metalink --config --post-data --post-file --body-data --body-file --save-cookies --warc-file --mirror --recursive --method --ca-directory --private-key --hsts-file --rejected-log',
    short: 'OoaPeirm',
  },
  zip: { long: '--unzip-command', short: 'T' },
  unzip: { short: 'd' },
  '7z': { beginnings: '-o @ -i@' },
  // Variables too, whose names may hold anything: `a.b:=$(shell …)` runs a command.
  make: { long: '--eval --file --makefile --directory --include-dir', short: 'fCIE', pattern: /^[^-][^]*=/ },
  cmake: { short: 'PEC', long: '--build --install --preset --toolchain --graphviz', beginnings: '-D' },
  ctest: { short: 'SDM', long: '--script --build-and-test --dashboard' },
  ninja: { short: 'fCt' },
  mvn: { short: 'fsDl', long: '--file --settings --global-settings', beginnings: 'exec:' },
  gradle: {
    short: 'IbcpPDg',
    long: '--init-script --build-file --settings-file --project-dir --project-prop --system-prop',
  },
  rake: { short: 'efrIEp', long: '--execute --rakefile --require --libdir --execute-print --execute-continue' },
  npm: {
    long: '--script-shell --prefix --node-options --userconfig --globalconfig --git --shell --editor --browser --viewer --node-gyp --registry --cache --init-module --call --global --location --pack-destination',
    short: 'Ccg',
    words: 'exec x config c set explore edit publish init create innit',
  },
  pnpm: {
    long: '--script-shell --dir --config --shell-mode --pnpmfile --global-pnpmfile --global-dir --global-bin-dir --store-dir --modules-dir --virtual-store-dir --lockfile-dir --use-node-version --node-options --registry --global',
    short: 'Ccg',
    words: 'exec dlx config c set publish create',
    beginnings: '--config.',
  },
  yarn: {
    long: '--cwd --use-yarnrc --script-shell --modules-folder --registry --preferred-cache-folder --cache-folder',
    words: 'exec dlx config set publish create node plugin global',
  },
  go: {
    long: '-exec -toolexec -overlay -o -modfile -vettool -ldflags -gcflags -asmflags -gccgoflags -compiler -pkgdir -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -http',
    words: 'run generate env install tool bug',
    short: 'C',
    beginnings: '-test. --test.',
    isExact: true,
  },
  cargo: {
    long: '--config --manifest-path --target-dir --artifact-dir --out-dir --lockfile-path',
    words: 'run r install publish fix',
    short: 'ZC',
    beginnings: '+',
    isExact: true,
  },
  rustc: { long: '--extern --out-dir', short: 'CZLo', beginnings: '@' },
  gcc: {
    long: '--specs --prefix --ld-path --config --output --plugin --for-linker --for-assembler --sysroot',
    beginnings:
      '@ -B -o -Wl, -Wa, -Wp, -X -specs -fplugin -fpass-plugin -fuse-ld -iplugindir -plugin -ccc- -wrapper -load --plugin',
  },
  // The others of the GNU binutils.
  nm: { long: '--plugin', beginnings: '@' },
  uv: { words: 'run tool x' },
  poetry: { words: 'run shell' },
  pipenv: { words: 'run shell' },
  conda: { words: 'run' },
  hatch: { words: 'run shell' },
  bundle: { words: 'exec open' },
  mise: { words: 'exec x run r task' },
  nix: { words: 'run shell develop eval build repl' },
  hg: { long: '--config --cwd --repository --debugger --template', short: 'RT', words: 'extdiff' },
  svn: { long: '--config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd --show-revs' },
  date: { short: 's', long: '--set' },
  shuf: { short: 'o', long: '--output --random-source' },
  jq: { long: '--from-file --rawfile --slurpfile --library-path', short: 'fL' },
  tree: { short: 'o', long: '--output' },
  diff: { long: '--output --paginate', short: 'l' },
  diff3: { long: '--diff-program' },
  sdiff: { long: '--diff-program --output', short: 'o' },
  patch: { long: '--output --directory --get --ed --reject-file --backup --prefix', short: 'odgerBY' },
  install: { long: '--strip-program' },
  file: { short: 'C', long: '--compile' },
  uniq: { pattern: /^[^-]/ },
  xz: { long: '--files' },
  openssl: { pattern: /^/ },
  printf: { short: 'v' },
  test: { short: 'v' },
  wait: { short: 'p' },
  tsc: {
    pattern: /^(?:@|--?(?:out|outdir|outfile|declarationdir|tsbuildinfofile|generatetrace|generatecpuprofile)$)/i,
  },
  eslint: {
    long: '--config --rulesdir --plugin --resolve-plugins-relative-to --parser --format --output-file --cache-location --cache-file --init --flag',
    short: 'cfo',
    isExact: true,
  },
  prettier: { long: '--config --plugin --plugin-search-dir --cache-location --ignore-path', isExact: true },
  vitest: TEST_RUNNER,
  jest: TEST_RUNNER,
  mocha: TEST_RUNNER,
  pytest: {
    long: '--rootdir --confcutdir --pdbcls --pdb --basetemp --junitxml --junit-xml --log-file --debug --override-ini --config-file --trace',
    short: 'pco',
  },
};

/** Programs under another name. */
export const SAME: Readonly<Record<string, string>> = {
  pypy: 'python',
  nodejs: 'node',
  bsdtar: 'tar',
  gtar: 'tar',
  gfind: 'find',
  fdfind: 'fd',
  bfind: 'find',
  ripgrep: 'rg',
  batcat: 'bat',
  'g++': 'gcc',
  'c++': 'gcc',
  cc: 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
  gmake: 'make',
  luajit: 'lua',
  ar: 'nm',
  ranlib: 'nm',
  ld: 'gcc',
  objdump: 'nm',
  strings: 'nm',
  '[': 'test',
  iex: 'elixir',
  gpatch: 'patch',
  gsort: 'sort',
  gdate: 'date',
};

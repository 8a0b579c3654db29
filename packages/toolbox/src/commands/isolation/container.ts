import { randomUUID } from 'node:crypto';
import { checkKeys, optionKeys } from '@kernel/protocol';
import { announceByMarker } from './announce-start.ts';
import { homeFor, LIMITS, PROCESSES, TMP_BYTES } from './limits.ts';
import { type Mount, workspaceMounts } from './mounts.ts';
import { isFolder, requireProgram } from './system-folders.ts';
import type { Isolation } from './types.ts';

/** Options of `containerIsolation`. */
export interface ContainerOptions {
  /** The engine's program. Default `docker`. */
  readonly engine?: 'docker' | 'podman' | 'nerdctl' | undefined;
  /** The image, which must have `/bin/sh` and the programs that commands run. */
  readonly image: string;
}

const KEYS = optionKeys<ContainerOptions>({ engine: true, image: true });

/**
 * Isolates commands in a container, which has the files of the image, `/tmp`, and the folder at the same path. The container has no capabilities and
 * no network unless it is allowed, and is removed with the command.
 */
export function containerIsolation(options: ContainerOptions): Isolation {
  checkKeys('containerIsolation', options, KEYS);
  const { engine = 'docker', image } = options;
  const owner = process.getuid === undefined ? [] : ['--user', `${process.getuid()}:${process.getgid?.() ?? 0}`];
  return {
    name: `${engine} container`,
    wrap(request) {
      const { command, cwd, folder, network, readable, variables } = request;
      const name = `command-${randomUUID()}`;
      const mark = `started-${randomUUID()}`;
      const { PATH: _ownPath, HOME: _home, TMPDIR: _tmp, ...passed } = variables;
      const args = [
        ...`run --rm --interactive --init --name ${name} --read-only --tmpfs /tmp:size=${TMP_BYTES} --cap-drop ALL`.split(
          ' ',
        ),
        ...`--security-opt no-new-privileges --pids-limit ${PROCESSES}`.split(' '),
        ...owner,
        ...(network ? [] : ['--network', 'none']),
        ...readable.flatMap((path) => bind(path, path, true)),
        // The system is that of the image.
        ...workspaceMounts(request).flatMap(optionsOf),
        ...Object.entries({ ...passed, HOME: homeFor(request) }).flatMap(([key, value]) => [
          '--env',
          `${key}=${value}`,
        ]),
        '--workdir',
        cwd,
        '--',
        image,
        ...announceByMarker(mark, command),
      ];
      const program = requireProgram(engine, 'The isolation in a container', folder);
      return {
        program,
        args,
        variables,
        announcesStart: mark,
        limits: LIMITS,
        stop: { program, args: ['kill', name] },
      };
    },
  };
}

function optionsOf({ how, path }: Mount): readonly string[] {
  if (how !== 'empty') return bind(path, path, how === 'sealed');
  return isFolder(path) ? ['--tmpfs', `${path}:ro,size=4k`] : bind('/dev/null', path, true);
}

/** The long form, because paths may hold a colon. */
function bind(from: string, to: string, isReadOnly: boolean): readonly string[] {
  const fields = ['type=bind', `source=${from}`, `target=${to}`, ...(isReadOnly ? ['readonly'] : [])];
  return [
    '--mount',
    fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(','),
  ];
}

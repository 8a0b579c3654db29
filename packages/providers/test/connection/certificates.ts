import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SharedData } from '../../../../test/setup/shared-data.ts';

/** An authority of the test's own, and what it has signed. */
export interface Certificates {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** `openssl`, which makes them; nothing of it is part of this repository. */
export function findOpenssl(rows: readonly string[]): SharedData {
  const folders = (process.env['PATH'] ?? '').split(':');
  const path = folders.map((folder) => join(folder, 'openssl')).find((file) => existsSync(file)) ?? '/usr/bin/openssl';
  const present = existsSync(path);
  const meta = present ? {} : { missingData: path, unproven: rows };
  // oxlint-disable-next-line no-console -- a run without it must say so
  if (!present) console.warn(`OPENSSL ABSENT: ${path} does not exist, so the tests of TLS are skipped.`);
  return { path, present, options: { skip: !present, meta } };
}

/** Makes keys and certificates that hold for a day, and leaves no file behind. */
export function makeCertificates(openssl: string): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-tls-'));
  const run = (...args: readonly string[]): void => {
    execFileSync(openssl, args, { cwd: folder, stdio: 'pipe' });
  };
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout'];
  const sign = (name: string, extension: string): { cert: string; key: string } => {
    writeFileSync(join(folder, `${name}.ext`), extension);
    run('req', ...key, `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    run(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      '1',
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
    return { cert: read(`${name}.pem`), key: read(`${name}.key`) };
  };
  try {
    run('req', '-x509', ...key, 'ca.key', '-out', 'ca.pem', '-days', '1', '-subj', '/CN=An authority of tests');
    const server = sign('server', 'subjectAltName=DNS:localhost,DNS:api.example.test,IP:127.0.0.1\n');
    return { ca: read('ca.pem'), server, client: sign('client', 'extendedKeyUsage=clientAuth\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { fetchUrlTool, isPublicAddress } from '../../src/web/index.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '93.184.216.34',
  '2606:4700::1111',
  '2a00:1450:4001::1',
  '2400:cb00::1',
  '3ffe::1',
  '2001:4860:4860::8888',
];

/** What reaches this machine, its network, a cloud's metadata or nothing at all, in every notation of an address. */
const NOT_PUBLIC = [
  // IPv4, first and last of each special range.
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.255.255',
  '168.63.129.16',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.170',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.255',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.0',
  '255.255.255.255',
  '100.100.100.200',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
  // IPv6.
  '::',
  '::1',
  '::2',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::ffff:169.254.169.254',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::1',
  '100::1',
  '100:0:0:1::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::',
  '2620:4f:8000::1',
  '3fff::1',
  '3fff:fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff::1',
  'fe80::1',
  'fe80::1%eth0',
  'fe80::1%1',
  'febf::1',
  'fec0::1',
  'ff00::1',
  'ff02::1',
  'ff0e::1',
  '4000::1',
  '8000::1',
  'e000::1',
  // No addresses.
  '',
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '2130706433',
  '127.0.0.1.',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '::g',
  '[::1]',
  ' 8.8.8.8',
  '8.8.8.8 ',
  '８.8.8.8',
];

/** Addresses whose host is written in some way that leads there. */
const URLS = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://0177.1/',
  'http://127.0.0.1./',
  'http://１２７.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://00000000/',
  'http://0x0/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fd00::1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[fd00:ec2::254]/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://172.16.0.1/',
  'http://192.168.257/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://127.0.0.1:80/',
  'https://127.0.0.1/',
  'http:127.0.0.1',
  'http:\\\\127.0.0.1\\',
  'HTTP://127.0.0.1',
  ' http://127.0.0.1 ',
  'http://127.0.0.1#@8.8.8.8/',
  'http://127.0.0.1?@8.8.8.8/',
  'http://127.0.0.1\t/',
];
/** What is no address of the web, or hides which one. */
const REFUSED = [
  'http://user@8.8.8.8/',
  'http://user:pass@127.0.0.1/',
  'http://8.8.8.8:80@127.0.0.1/',
  'ftp://8.8.8.8/',
  'file:///etc/passwd',
  'file://localhost/etc/passwd',
  'data:text/html,x',
  'javascript:1',
  'gopher://127.0.0.1:6379/_x',
  'dict://127.0.0.1/',
  'ws://127.0.0.1/',
  'blob:http://127.0.0.1/x',
  'about:blank',
  'unix:/var/run/docker.sock',
  'http+unix://%2fvar%2frun%2fdocker.sock/',
  '',
  'http://',
  'http://[::1',
  'http://a b/',
  '//127.0.0.1/',
  '/etc/passwd',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
];

describe('addresses that tools may reach', () => {
  it.each(PUBLIC)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(NOT_PUBLIC)('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(URLS)('%s is not loaded: it does not lead to the public internet', async (url) => {
    verifies('toolbox.web.addresses');
    const handler = fetchUrlTool({ timeoutMs: 10_000 }).handler as (input: object, context: object) => Promise<unknown>;
    await expect(handler({ url }, { signal: new AbortController().signal })).rejects.toThrow(
      /is not a public address|there is no such host|EAI_AGAIN/,
    );
  });

  it.each(REFUSED)('%s is not loaded at all', async (url) => {
    const handler = fetchUrlTool().handler as (input: object, context: object) => Promise<unknown>;
    await expect(handler({ url }, { signal: new AbortController().signal })).rejects.toThrow(
      /not a valid address|only http and https|holds credentials/,
    );
  });

  it('has at least one hundred and fifty cases', () => {
    expect(PUBLIC.length + NOT_PUBLIC.length + URLS.length + REFUSED.length).toBeGreaterThanOrEqual(150);
  });
});

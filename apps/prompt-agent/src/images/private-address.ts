import { BlockList, isIP } from 'node:net';

// Two lists: a list of both kinds would match an IPv4 address in its IPv6 form.
const PRIVATE_4 = new BlockList();
const PRIVATE_6 = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['168.63.129.16', 32], // Azure's virtual address for its host services
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE_4.addSubnet(network, prefix, 'ipv4');
}
// Of IPv6, only global unicast is public; within it, ranges that embed IPv4 addresses or are reserved are refused.
for (const [network, prefix] of [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20], // documentation, RFC 9637
  ['4000::', 2],
  ['8000::', 1],
] as const) {
  PRIVATE_6.addSubnet(network, prefix, 'ipv6');
}

/** Whether an IP address is not on the public internet: loopback, private, link-local, reserved, or an embedded IPv4 address. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return family === 4 ? PRIVATE_4.check(address, 'ipv4') : PRIVATE_6.check(address, 'ipv6');
}

import { BlockList, isIP } from 'node:net';

// Two lists: a list of both kinds would match an IPv4 address in its IPv6 form.
const SPECIAL_4 = new BlockList();
const SPECIAL_6 = new BlockList();
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
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT relays
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  SPECIAL_4.addSubnet(network, prefix, 'ipv4');
}
// Of IPv6, only global unicast is public; within it, ranges that embed IPv4 addresses or are reserved are refused.
for (const [network, prefix] of [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation, RFC 9637
  ['4000::', 2],
  ['8000::', 1],
] as const) {
  SPECIAL_6.addSubnet(network, prefix, 'ipv6');
}

/**
 * Whether an IP address is on the public internet: not loopback, private, link-local, of a cloud's metadata, reserved, multicast, or an IPv6 address
 * that embeds an IPv4 one. False for anything that is not an IP address. Source: IANA's registries of special-purpose addresses.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  // A zone (`fe80::1%eth0`) belongs to a link.
  if (family === 0 || address.includes('%')) return false;
  return family === 4 ? !SPECIAL_4.check(address, 'ipv4') : !SPECIAL_6.check(address, 'ipv6');
}

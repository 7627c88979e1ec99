import { isIPv6 } from 'node:net'

/** Wildcard addresses are asked on loopback; "::" listens on IPv4 too. */
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' }

/** No trailing slash. */
export function ownUrl({ host, port }: { host: string; port: number }): string {
  const name = ANY[host] ?? host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

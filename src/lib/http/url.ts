import { isIPv6 } from 'node:net'
import { orElse } from '../or-else.ts'

/** A URL without user, password and query; other text unchanged. */
export function withoutUrlSecrets(text: string): string {
  if (!text.includes('://')) return text
  return text.replace(/:\/\/[^/?#\s]*@/, '://(secret)@').replace(/\?.*$/s, '?(secret)')
}

/** Query parameters that carry secrets. */
const SECRET_PARAMETER = /token|secret|passw|pwd|credential|signature|api[-_]?key$|^access[-_]?key$|^sig$/i
const STANDS_FOR = /^(?:(?:\$\{[^}]*\})+|\{\{.*\}\})$/

/** Password and secret parameters, before placeholders are filled. */
export function literalSecrets(url: string): string[] {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(url) ?? []
  if (scheme === undefined) return []
  const [address = '', query = ''] = splitAt(rest, /[?]/)
  const login = /^([^/#\s]*)@/.exec(address)?.[1] ?? ''
  const [, password = ''] = splitAt(login, /:/)
  const parameters = query
    .replace(/#.*$/s, '')
    .split('&')
    .map((one) => splitAt(one, /=/))
  const secret = parameters.flatMap(([name = '', value = '']) => (SECRET_PARAMETER.test(name) ? [value] : []))
  return [password, ...secret].filter((text) => text !== '' && !STANDS_FOR.test(text))
}

function splitAt(text: string, sign: RegExp): [string, string] {
  const at = text.search(sign)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Wildcard addresses are asked on loopback; "::" listens on IPv4 too. */
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' }

export function ownUrl({ host, port }: { host: string; port: number }): string {
  const name = ANY[host] ?? host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`
}

/** Linear: `/-+$/` is quadratic on foreign text. */
export function withoutEnd(text: string, isLeftOut: RegExp): string {
  let end = text.length
  while (end > 0 && isLeftOut.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

export function isDecodable(text: string): boolean {
  return orElse(() => decodeURIComponent(text), null) !== null
}

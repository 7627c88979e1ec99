/** A URL without user, password and query; other text unchanged. */
export function withoutUrlSecrets(text: string): string {
  if (!text.includes('://')) return text
  return text.replace(/:\/\/[^/?#\s]*@/, '://(secret)@').replace(/\?.*$/s, '?(secret)')
}

/** Query parameters that carry secrets. */
const SECRET_PARAMETER = /token|secret|passw|pwd|credential|signature|api[-_]?key$|^access[-_]?key$|^sig$/i

/** Placeholders, or a template filled later, in place of a secret. */
const STANDS_FOR = /^(?:(?:\$\{[^}]*\})+|\{\{.*\}\})$/

/** Literal secrets in a URL before its placeholders are filled: password and secret parameters. */
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

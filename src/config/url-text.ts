/** A text to show: of a URL, neither user, password nor query, where tokens are carried. Other text is unchanged. */
export function withoutUrlSecrets(text: string): string {
  if (!text.includes('://')) return text
  return text.replace(/:\/\/[^/?#\s]*@/, '://(secret)@').replace(/\?.*$/s, '?(secret)')
}

/** Names of parameters of a URL that carry a secret. */
const SECRET_PARAMETER = /token|secret|passw|pwd|credential|signature|api[-_]?key$|^access[-_]?key$|^sig$/i

/** A text in place of a secret: placeholders alone, or a template that a destination fills in later. */
const STANDS_FOR = /^(?:(?:\$\{[^}]*\})+|\{\{.*\}\})$/

/**
 * Secrets that stand in a URL as they are, before its placeholders are filled: its password, and parameters that are called
 * like a secret. None: it has none, or they come from the environment.
 */
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

/** A text before and after the first sign of a kind. */
function splitAt(text: string, sign: RegExp): [string, string] {
  const at = text.search(sign)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

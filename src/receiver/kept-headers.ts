import { createTokenFinder } from './token-finder.ts'

/** Names of headers that hold keys, logins and sessions, and what proxies say of who logged in. */
const SECRET_NAME =
  /auth(?!or(?:$|-))|cookie|token|secret|passw|credential|assertion|jwt|session|principal|oidc|client-cert|csrf|xsrf|(?:api|access|subscription|functions)-?key|^dpop$/

/** A login or a signed token in a header of any name. */
const LOGIN = /(?<![\w-])(?:(?:Bearer|Basic)\s+[\w.~+/=-]+|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/gi

/**
 * The token parameter of a URL, encoded or not: a proxy repeats the callback URL in a header (x-original-url, referer …),
 * and a token of yesterday is as little for others as that of today.
 */
const TOKEN_IN_URL = /((?:[?&]|%(?:25)?3f|%(?:25)?26)token(?:=|%(?:25)?3d))[^&\s,;"'<>%]*/gi

/** Without one of these in it, a text holds neither; that is quicker to see. */
const SUSPECT = /token|bearer|basic|eyj/i

const MOST_NAMES = 200

const HIDDEN = '(hidden)'

/** Headers as they came; several of one name are a list. */
type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Gives what may be kept of a request's headers: without those that hold secrets by their name, and without these tokens
 * wherever they stand, as they are or encoded. Its work grows with the length of the headers, not faster.
 */
export function createKeptHeaders(tokens: readonly string[]): (headers: Headers) => Record<string, string> {
  const finder = createTokenFinder(tokens)

  /** Names come again and again: of the first of them it is kept whether they are secret. */
  const names = new Map<string, boolean>()
  function isSecret(name: string): boolean {
    const known = names.get(name)
    if (known !== undefined) return known
    // A name may hold a token as well.
    const secret = SECRET_NAME.test(name) || finder.holds(name)
    if (names.size < MOST_NAMES) names.set(name, secret)
    return secret
  }

  /** A value of which nothing can be told from outside is hidden as a whole. */
  function without(value: string): string {
    const own = finder.without(value, HIDDEN)
    const rest = SUSPECT.test(own) ? own.replace(TOKEN_IN_URL, `$1${HIDDEN}`).replace(LOGIN, HIDDEN) : own
    return finder.holds(rest) ? HIDDEN : rest
  }

  return (headers) => {
    const kept: Record<string, string> = {}
    for (const name in headers) {
      if (isSecret(name)) continue
      const value = headers[name] ?? ''
      kept[name] = without(typeof value === 'string' ? value : value.join(', '))
    }
    return kept
  }
}

import { plainGuid } from '../domain/queue/transport-key.ts'

/** What helps to read a body, to follow a request through logs, or to tell who sent it. */
const KEPT = [
  'content-type',
  'content-encoding',
  'idempotency-key',
  'traceparent',
  'tracestate',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'x-correlation-id',
  'x-request-id',
]

/** A GUID under such a name may be a key or a session; under any other it may be the platform's id of the event. */
const SECRET_NAME = /auth|cookie|token|secret|passw|credential|session|principal|csrf|xsrf|key/

/** The token parameter of a URL, encoded or not: an operator may list a header in which a proxy repeats the callback URL. */
const TOKEN_IN_URL = /((?:[?&]|%(?:25)?3f|%(?:25)?26)token(?:=|%(?:25)?3d))[^&\s,;"'<>%]*/gi

const HIDDEN = '(hidden)'

interface Options {
  /** Names of further headers, in lower case. */
  also: readonly string[]
  /** Tokens of webhooks: a header that holds one as it is, or as a parameter of a URL, is stored without it. */
  tokens: readonly string[]
}

/** Headers as they came; several of one name are a list. */
type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Gives the headers of a request that are stored with its event: those of a list, and any that carries a plain GUID, since nobody
 * publishes in which one the platform names its events, and `doctor` learns it from these.
 */
export function createKeptHeaders({ also, tokens }: Options): (headers: Headers) => Record<string, string> {
  const listed = new Set([...KEPT, ...also])
  const guids = new Set(tokens.map(plainGuid))
  const mayNameEvent = (name: string, value: string) => {
    const guid = value.length >= 32 && value.length <= 40 ? plainGuid(value) : null
    return guid !== null && !guids.has(guid) && !SECRET_NAME.test(name)
  }
  const written = tokens.flatMap((token) => {
    const once = encodeURIComponent(token.toWellFormed())
    return [encodeURIComponent(once), once, token]
  })
  const withoutToken = (value: string) =>
    written.reduce((text, one) => text.replaceAll(one, HIDDEN), value).replace(TOKEN_IN_URL, `$1${HIDDEN}`)

  return (headers) => {
    const kept: Record<string, string> = {}
    for (const name in headers) {
      const came = headers[name] ?? ''
      const value = typeof came === 'string' ? came : came.join(', ')
      if (listed.has(name)) kept[name] = withoutToken(value)
      else if (mayNameEvent(name, value)) kept[name] = value
    }
    return kept
  }
}

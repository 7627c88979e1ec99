/** The parts of the callback URLs of one hub. */
export interface Callback {
  /** Where the platform reaches the hub; it may have a path of its own. */
  publicUrl: string
  /** The hub's own name for the subscription: the last part of the path. */
  subscription: string
  token: string
}

/** The URL that the platform is to send a kind to: `{publicUrl}/webhooks/{kind}/{subscription}?token={token}`. */
export function callbackUrl({ publicUrl, subscription, token }: Callback, kind: string): string {
  const url = new URL(publicUrl)
  const path = [...partsOf(url), 'webhooks', kind, subscription]
  url.pathname = path.map(encodeURIComponent).join('/')
  url.search = new URLSearchParams({ token }).toString()
  url.hash = ''
  return url.href
}

/** A callback URL of this hub, taken apart. */
export interface OwnCallback {
  kind: string
  subscription: string | null
  token: string | null
}

/**
 * Reads a subscription's URL as one of ours: same scheme, host and port as publicUrl, and its path goes on with
 * `/webhooks/`. Null: somebody else's. The parts are compared, so `HTTPS://Hub.example.com:443` is the same place, and
 * `https://hub.example.com.evil.org` is another.
 */
export function readCallback(url: string, publicUrl: string): OwnCallback | null {
  const found = URL.parse(url)
  const base = new URL(publicUrl)
  if (found === null || found.origin !== base.origin) return null
  const path = partsOf(found)
  const begin = [...partsOf(base), 'webhooks']
  if (path.length === begin.length || begin.some((part, index) => path[index] !== part)) return null
  const [kind = '', subscription = null] = path.slice(begin.length)
  return { kind, subscription, token: found.searchParams.get('token') }
}

/** The parts of the path, decoded; a slash at the end, or one too many, says nothing. */
function partsOf({ pathname }: URL): string[] {
  return pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decode)
}

/** Somebody else's URL may hold a `%` that encodes nothing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

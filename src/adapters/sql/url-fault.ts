import { isIP } from 'node:net'
import { isDecodable } from '../../lib/http/decodable.ts'
import { isLinkLocal } from '../../lib/http/http-addresses.ts'
import { DIALECTS, hostOf, TLS } from './address.ts'

/** The fault of a `url`; null: it has none. Never says what stands in it. */
export function sqlUrlFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !DIALECTS[url.protocol] || !url.hostname)
    return 'Must be an address such as postgres://user:password@host:5432/database (or mysql://, mariadb://).'
  if (!url.username) return 'Must name a user.'
  if (!isDecodable(url.username + url.password + url.pathname))
    return 'Must have a % in its user, password and database written as %25.'
  if (!/^\/[^/]+$/.test(url.pathname)) return 'Must name a database after the port, and nothing after it.'
  if (url.hash) return 'Must have no # (in a password, write %23).'
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode')
  if (unknown !== undefined) return 'Must have no parameter but sslmode.'
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !Object.hasOwn(TLS, mode)) return `Must have an sslmode of ${Object.keys(TLS).join(', ')}.`
  // The driver would look for another name in the certificate.
  if (DIALECTS[url.protocol]?.dialect === 'mysql' && TLS[mode ?? ''] === 'checked' && isIP(hostOf(url)) !== 0)
    return 'Must name the server by its name, not by an IP address, for its certificate to be checked.'
  return isLinkLocal(url.hostname) ? 'Must not be a link-local address.' : null
}

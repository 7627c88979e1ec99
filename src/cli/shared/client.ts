import { userInfo } from 'node:os'
import { request } from 'undici'
import { ServerAccess } from '../../config/config.ts'
import { loadServer } from '../../config/load.ts'
import { configPathIn, type Env } from '../../config/placeholders.ts'
import { UserError } from '../../domain/values/errors.ts'
import { plainTls, refusesCertificate } from '../../lib/http/http-verdict.ts'
import { ownUrl, withoutEnd } from '../../lib/http/url.ts'
import { orElse } from '../../lib/or-else.ts'
import { OWN_VERSION } from '../../lib/own-version.ts'

export interface Client {
  get<T>(path: string, query?: Record<string, unknown>): Promise<T>
  /** `signal` ends the wait, not the work. */
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>
}

const CUT_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_HEADERS_TIMEOUT'])
/** Answered before the hub reads the request. */
const TOO_LONG = new Set([414, 431])
const SAYS_ALL = new Set([400, 404, 502])

export class NotListeningError extends UserError {
  override name = 'NotListeningError'
}

/** A client of the hub of TILLBRIDGE_URL, else of the config on this machine. */
export async function createClient(env: NodeJS.ProcessEnv): Promise<Client> {
  const { url, token, isNamed } = await hubAccess(env)

  async function ask<T>(method: 'GET' | 'POST', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const answer = await request(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-operator': operator(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // It may take minutes, and a new key is told once: no timeout.
      ...(method === 'POST' && { headersTimeout: 0 }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (CUT_OFF.has(codeOf(error))) throw brokenOff(method, error)
      const NotThere = codeOf(error) === 'ECONNREFUSED' ? NotListeningError : UserError
      throw new NotThere(unreachableText(url, wordsOf(error), isNamed), { cause: error })
    })
    const text = await answer.body.text().catch((error: unknown) => {
      throw brokenOff(method, error)
    })
    const said = parsed(text)
    if (answer.statusCode < 300 && said !== undefined) return said as T
    const { detail, title }: { detail?: string; title?: string } = Object(said)
    const why = answer.statusCode < 300 ? undefined : (detail ?? title)
    if (why !== undefined) throw new UserError(refusalText(url, answer.statusCode, why))
    throw TOO_LONG.has(answer.statusCode)
      ? new UserError('What was asked for is longer than a hub reads: say it in fewer words.')
      : strangerError(url, answer.statusCode)
  }

  function brokenOff(method: 'GET' | 'POST', error: unknown): UserError {
    const onward = method === 'GET' ? 'Ask again.' : 'It may be done all the same: tillbridge audit list.'
    return new UserError(`${url} did not answer to its end (${wordsOf(error)}). ${onward}`, { cause: error })
  }

  return {
    get(path, query = {}) {
      const asked = Object.entries(query).filter(([, value]) => value !== undefined)
      return ask(
        'GET',
        `${path}?${new URLSearchParams(Object.fromEntries(asked.map(([key, value]) => [key, String(value)])))}`,
      )
    },
    post: (path, body, signal) => ask('POST', path, body, signal),
  }
}

export function operator(): string {
  try {
    return encodeURIComponent(userInfo().username)
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}

/** Without a slash at its end. Throws a UserError. */
export async function hubUrl({ TILLBRIDGE_URL: url, ...env }: Env): Promise<string> {
  const { host, port } = ServerAccess.shape
  return url ? readUrl(url) : ownUrl(await inConfig(loadServer(configPathIn(env), env, { host, port })))
}

async function hubAccess(env: Env): Promise<{ url: string; token: string; isNamed: boolean }> {
  const { TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: token } = env
  if (url && !token) throw new UserError('TILLBRIDGE_URL is set; set TILLBRIDGE_ADMIN_TOKEN beside it.')
  const { adminToken: _, ...places } = ServerAccess.shape
  // Other faults of the config do not matter.
  if (token) {
    const sent = requireSendable('TILLBRIDGE_ADMIN_TOKEN', token)
    if (url) return { url: readUrl(url), token: sent, isNamed: true }
    const { admin, ...main } = await inConfig(loadServer(configPathIn(env), env, places))
    return { url: ownUrl(admin ?? main), token: sent, isNamed: false }
  }
  const { admin, ...main } = await inConfig(loadServer(configPathIn(env), env, ServerAccess.shape))
  return { url: ownUrl(admin ?? main), token: main.adminToken, isNamed: false }
}

async function inConfig<T>(read: Promise<T>): Promise<T> {
  return await read.catch((error: unknown) => {
    if (!(error instanceof UserError) || codeOf(error.cause) !== 'ENOENT') throw error
    const says = `${error.message}. A hub elsewhere is asked by TILLBRIDGE_URL and TILLBRIDGE_ADMIN_TOKEN.`
    throw new UserError(says, { cause: error.cause })
  })
}

/** It may hold a password: never repeat it. */
function readUrl(written: string): string {
  const { protocol, username, password, search, hash, origin, pathname } = URL.parse(written) ?? { protocol: '' }
  if (!/^https?:$/.test(protocol) || username || password || search || hash)
    throw new UserError(
      'TILLBRIDGE_URL is no address of a hub: write it as https://hub.example.com, with its path where it has one, and without user, password or query.',
    )
  return `${origin}${withoutEnd(pathname ?? '', /\//)}`
}

export function strangerError(url: string, status: number): UserError {
  return new UserError(`Something answers at ${url} (${status}), but not as the hub does. Look at the address.`)
}

/** Throws a UserError, without the secret. */
export function requireSendable(name: string, secret: string): string {
  if (/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(secret)) return secret
  throw new UserError(`${name} has a sign in it that no token has, such as a line break at its end: copy it again.`)
}

/** "." and ".." would lead elsewhere. Throws a UserError. */
export function pathPart(typed: string): string {
  if (/^\.{1,2}$/.test(typed)) throw new UserError(`"${typed}" names nothing here: type a number or a name.`)
  return encodeURIComponent(typed)
}

/** An error of several addresses has no message. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? plainTls(error.message) || codeOf(error) || error.name : String(error)
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function unreachableText(url: string, why: string, isNamed: boolean): string {
  if (refusesCertificate(why))
    return `The certificate of ${url} is not to be trusted (${why}). Have it renewed where it has run out, name your own authority by NODE_EXTRA_CA_CERTS=/path/to/ca.pem, or look at the address and at this machine's clock.`
  const remedy = isNamed
    ? 'Start it with "tillbridge start" where it runs, or correct TILLBRIDGE_URL: http or https, the name of its machine, the port.'
    : 'Start it with "tillbridge start"; if the config names another host or port since it was started, say where it runs: TILLBRIDGE_URL.'
  return `No hub answers at ${url} (${why}). ${remedy}`
}

function refusalText(url: string, status: number, detail: string): string {
  if (status === 404 && /^The hub has \//.test(detail))
    return `A hub answers at ${url}, and has nothing there: look at the path of the address. ${detail}`
  const missing = status === 404 ? /^There is no ([A-Z]+ \/\S*) here\.$/.exec(detail)?.[1] : undefined
  if (missing === undefined) return SAYS_ALL.has(status) ? detail : `The hub answered ${status}: ${detail}`
  return `The hub at ${url} does not know ${missing}, which this command (Tillbridge ${OWN_VERSION}) asks: it is of another version. Use the command of that version, or update the hub.`
}

/** Null: empty; undefined: no JSON. */
export function parsed(text: string): unknown {
  return text ? orElse(() => JSON.parse(text), undefined) : null
}

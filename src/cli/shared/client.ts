import { userInfo } from 'node:os'
import { request } from 'undici'
import { UserError } from '../../domain/values/errors.ts'
import { refusesCertificate } from '../../lib/http/http-verdict.ts'
import { OWN_VERSION } from '../../lib/own-version.ts'
import { hubAccess, strangerError, wordsOf } from './hub-url.ts'

/** Asks the hub's /admin. */
export interface Client {
  get<T>(path: string, query?: Record<string, unknown>): Promise<T>
  /** `signal`: waits no longer; what was asked for goes on. */
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>
}

/**
 * A client of the hub that this environment names: TILLBRIDGE_URL and TILLBRIDGE_ADMIN_TOKEN, or else the hub on this machine
 * that the config names, of which nothing else is read.
 */
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
      // An act takes as long as it takes, and who does not wait for it does not have what came of it: a proof, a key.
      ...(method === 'POST' && { headersTimeout: 0 }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (isCutOff(error)) throw brokenOff(method, error)
      const says = nobodyText(url, wordsOf(error), isNamed)
      throw isNotListening(error)
        ? new NotListeningError(says, { cause: error })
        : new UserError(says, { cause: error })
    })
    const text = await answer.body.text().catch((error: unknown) => {
      throw brokenOff(method, error)
    })
    if (answer.statusCode < 300) return parsed<T>(text, () => strangerError(url, answer.statusCode))
    const detail = detailOf(text)
    if (detail !== null) throw new UserError(refusalText(url, answer.statusCode, detail))
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
      const search = new URLSearchParams()
      for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
      return ask('GET', `${path}?${search}`)
    },
    post: (path, body, signal) => ask('POST', path, body, signal),
  }
}

function nobodyText(url: string, why: string, isNamed: boolean): string {
  if (refusesCertificate(why)) return `The certificate of ${url} is not to be trusted (${why}). ${IF_CERTIFICATE}`
  return `No hub answers at ${url} (${why}). ${isNamed ? IF_NAMED : IF_IN_CONFIG}`
}

const IF_CERTIFICATE =
  "Have it renewed where it has run out, name your own authority by NODE_EXTRA_CA_CERTS=/path/to/ca.pem, or look at the address and at this machine's clock."
const IF_NAMED =
  'Start it with "npm start" where it runs, or correct TILLBRIDGE_URL: http or https, the name of its machine, the port.'
const IF_IN_CONFIG =
  'Start it with "npm start"; if the config names another host or port since it was started, say where it runs: TILLBRIDGE_URL.'

/** Nothing listens at the hub's address: it does not run, or has not come so far yet. */
export class NotListeningError extends UserError {
  override name = 'NotListeningError'
}

function isNotListening(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
}

/** Somebody took the connection, and ended it before an answer. */
function isCutOff(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CUT_OFF.has(String(error.code))
}

const CUT_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_HEADERS_TIMEOUT'])

/** Nothing is said by null. */
function parsed<T>(text: string, strange: () => UserError): T {
  try {
    return (text ? JSON.parse(text) : null) as T
  } catch {
    throw strange()
  }
}

/** The words of a hub about an address that none of its parts answers. */
const ELSEWHERE = /^The hub has \//

/** Statuses whose answer says all: what was asked wrongly, what is not there, and what the platform said or did not say. */
const SAYS_ALL = new Set([400, 404, 502])

/**
 * A hub that lacks a whole route is of another version. Else why it refused, in its own words.
 */
function refusalText(url: string, status: number, detail: string): string {
  if (status === 404 && ELSEWHERE.test(detail))
    return `A hub answers at ${url}, and has nothing there: look at the path of the address. ${detail}`
  const missing = status === 404 ? /^There is no ([A-Z]+ \/\S*) here\.$/.exec(detail)?.[1] : undefined
  if (missing === undefined) return SAYS_ALL.has(status) ? detail : `The hub answered ${status}: ${detail}`
  return `The hub at ${url} does not know ${missing}, which this command (Tillbridge ${OWN_VERSION}) asks: it is of another version. Use the command of that version, or update the hub.`
}

/** For the audit: who sits at the keyboard. Headers are plain ASCII. A container may run under an id that no user has. */
export function operator(): string {
  try {
    return encodeURIComponent(userInfo().username)
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}

/** Statuses by which whoever reads the address and the headers refuses them, before the hub has seen them. */
const TOO_LONG = new Set([414, 431])

/** Why the hub refused, in its own words; null: they are not a hub's. */
function detailOf(text: string): string | null {
  try {
    const problem = JSON.parse(text) as { detail?: string; title?: string } | null
    return problem?.detail ?? problem?.title ?? null
  } catch {
    return null
  }
}

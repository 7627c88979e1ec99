import { userInfo } from 'node:os'
import { request } from 'undici'
import { readProgramEnv } from '../../config/reading/env.ts'
import { loadServerAccess, loadServerAddress } from '../../config/server-access.ts'
import { UserError } from '../../domain/values/errors.ts'
import { OWN_VERSION } from '../../lib/own-version.ts'

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
  const { url, token } = await whereTo(env)

  async function ask<T>(method: 'GET' | 'POST', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const answer = await request(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-operator': operator(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((error: Error) => {
      throw new UserError(`No hub answers at ${url} (${error.message}). Start it with "npm start".`, { cause: error })
    })
    const text = await answer.body.text()
    if (answer.statusCode < 300) return (text ? JSON.parse(text) : null) as T
    throw new UserError(refusalText(url, answer.statusCode, detailOf(text)))
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

/** The hub that this environment names: TILLBRIDGE_URL, or else the config's own hub on this machine. */
export async function hubUrl({ TILLBRIDGE_URL: url, ...env }: NodeJS.ProcessEnv): Promise<string> {
  return url || urlOf(await loadServerAddress(readProgramEnv(env).configPath, env))
}

async function whereTo(env: NodeJS.ProcessEnv): Promise<{ url: string; token: string }> {
  const { TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: token } = env
  if (url && token) return { url, token }
  if (url) throw new UserError('TILLBRIDGE_URL is set; set TILLBRIDGE_ADMIN_TOKEN beside it.')
  // A config that is being changed, and wrong at the moment, keeps nobody from the hub that runs.
  const server = await loadServerAccess(readProgramEnv(env).configPath, env)
  return { url: urlOf(server), token: server.adminToken }
}

function urlOf({ host, port }: { host: string; port: number }): string {
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`
}

/** Statuses whose answer says all: what was asked wrongly, what is not there, and what the platform said or did not say. */
const SAYS_ALL = new Set([400, 404, 502])

/**
 * A hub that lacks a whole route is of another version. Else why it refused, in its own words.
 */
function refusalText(url: string, status: number, detail: string): string {
  const missing = status === 404 ? /^There is no ([A-Z]+ \/\S*) here\.$/.exec(detail)?.[1] : undefined
  if (missing === undefined) return SAYS_ALL.has(status) ? detail : `The hub answered ${status}: ${detail}`
  return `The hub at ${url} does not know ${missing}, which this command (Tillbridge ${OWN_VERSION}) asks: it is of another version. Use the command of that version, or update the hub.`
}

/** For the audit: who sits at the keyboard. Headers are plain ASCII. */
export function operator(): string {
  return encodeURIComponent(userInfo().username)
}

/** Why the hub refused, in its own words. */
export function detailOf(text: string): string {
  try {
    const problem = JSON.parse(text) as { detail?: string; title?: string }
    return problem.detail ?? problem.title ?? text
  } catch {
    return text.slice(0, 300)
  }
}

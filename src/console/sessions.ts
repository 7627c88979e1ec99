import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import type { Clock } from '../lib/clock.ts'
import { isPassword } from '../lib/password.ts'
import type { StoredConsoleUser } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'

export interface SessionTimes {
  /** Without a request (ms). */
  idle: number
  /** From the sign-in on (ms). */
  longest: number
}

export interface Session {
  user: Pick<StoredConsoleUser, 'name' | 'role'>
  /** What a form of this session carries. */
  token: string
}

type Users = Pick<
  Storage,
  'consoleUser' | 'consoleSession' | 'consoleSessionSeen' | 'openConsoleSession' | 'closeConsoleSession'
>

/** Least time between two notes of a session's last request (ms). */
const SEEN_EVERY = 60_000

interface Cookie {
  name: string
  value: string
  seconds: number
  sameSite?: 'Strict' | 'Lax'
}

interface Options {
  storage: Users
  clock: Pick<Clock, 'now'>
  times: SessionTimes
  publicUrl: string | undefined
}

/** Sign-in and sessions. The browser has a random id; the storage has its hash. */
export function createSessions({ storage, clock, times, publicUrl }: Options) {
  const publicHost = publicUrl?.startsWith('https:') ? new URL(publicUrl).host : null

  /** TLS may end at a proxy that is not in `server.trustProxy`. */
  function isSecure(request: Request): boolean {
    return request.secure || (publicHost !== null && request.get('host') === publicHost)
  }

  function cookieName(request: Request): string {
    return isSecure(request) ? '__Host-tillbridge' : 'tillbridge'
  }

  function idOf(request: Request): string | null {
    const id = cookieOf(request, cookieName(request))
    return id !== null && /^[\w-]{43}$/.test(id) ? id : null
  }

  function setCookie(
    request: Request,
    response: Response,
    { name, value, seconds, sameSite = 'Strict' }: Cookie,
  ): void {
    const parts = [
      'Path=/',
      `Max-Age=${seconds}`,
      'HttpOnly',
      `SameSite=${sameSite}`,
      ...(isSecure(request) ? ['Secure'] : []),
    ]
    response.append('Set-Cookie', [`${name}=${value}`, ...parts].join('; '))
  }

  async function open(request: Request, response: Response, user: StoredConsoleUser): Promise<Session> {
    const id = randomBytes(32).toString('base64url')
    const now = clock.now()
    const act = { at: now, by: user.name, role: user.role, address: request.ip ?? null, action: 'sign-in' }
    await storage.openConsoleSession(keyOf(id), act, { begun: now - times.longest, seen: now - times.idle })
    const seconds = Math.floor(times.longest / 1_000)
    setCookie(request, response, { name: cookieName(request), value: id, seconds })
    return { user, token: tokenOf(id) }
  }

  return {
    open,
    setCookie,
    cookieName,

    /** Null: the name or the password is wrong, or the user is shut out. */
    async signIn(request: Request, response: Response, name: string, password: string): Promise<Session | null> {
      const user = await storage.consoleUser(name)
      const isRight = await isPassword(password, user?.password || null)
      if (user === null || !isRight || user.disabledAt !== null) return null
      return await open(request, response, user)
    },

    /** `isSeen` false: it is no request of a person. */
    async find(request: Request, { isSeen } = { isSeen: true }): Promise<Session | null> {
      const id = idOf(request)
      const session = id === null ? null : await storage.consoleSession(keyOf(id))
      if (id === null || session === null) return null
      const now = clock.now()
      if (now - session.createdAt > times.longest || now - session.seenAt > times.idle) return null
      const user = await storage.consoleUser(session.name)
      if (user === null || user.disabledAt !== null) return null
      if (isSeen && now - session.seenAt >= SEEN_EVERY) await storage.consoleSessionSeen(session.id, now)
      return { user, token: tokenOf(id) }
    },

    async signOut(request: Request, response: Response): Promise<void> {
      const id = idOf(request)
      if (id !== null) await storage.closeConsoleSession(keyOf(id))
      setCookie(request, response, { name: cookieName(request), value: '', seconds: 0 })
    },
  }
}

/**
 * Whether a form was sent by a page of this origin: browsers say so (`Sec-Fetch-Site`; on plain HTTP outside of localhost,
 * `Origin` alone).
 */
export function isSameOrigin(request: Request): boolean {
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = request.get('origin')
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === request.get('host')
}

export function cookieOf(request: Request, name: string): string | null {
  const cookies = (request.get('cookie') ?? '').split(/; */)
  return cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
}

function keyOf(id: string): string {
  return hash('sha256', id)
}

function tokenOf(id: string): string {
  return createHmac('sha256', id).update('form').digest('base64url')
}

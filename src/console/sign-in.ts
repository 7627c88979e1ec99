import { createHmac, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import type { Configuration, CustomFetch, IDToken } from 'openid-client'
import type { Config } from '../config/config.ts'
import { ROLES, type Role } from '../domain/role.ts'
import type { Clock } from '../lib/clock.ts'
import { isMap } from '../lib/collections.ts'
import { type HttpClient, type HttpRequest, targetOf } from '../lib/http/http.ts'
import { isPassword } from '../lib/password.ts'
import type { StoredConsoleUser } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'

type OidcConfig = NonNullable<Config['console']['oidc']>

/** Below /console. */
export const OIDC_START = '/sign-in/oidc'
export const OIDC_CALLBACK = '/sign-in/oidc/callback'

/** For the way to the provider and back. */
export const OIDC_TIMEOUT_S = 600

const MAX_ANSWER_BYTES = 1024 * 1024

/** The provider does not answer, or answers with a fault of its own. */
class ProviderAwayError extends Error {
  override name = 'ProviderAwayError'
}

/** What the browser carries to the provider and back, encrypted. */
type Started = Record<'state' | 'nonce' | 'verifier' | 'to', string>

export interface Identified {
  /** Issuer and subject. */
  subject: string
  /** Names to go by, best first. */
  names: string[]
  /** Null: no value of the claim has a role. */
  role: Role | null
  to: string
}

export type Oidc = ReturnType<typeof createOidc>

/** OpenID Connect Core 1.0, authorization code flow with PKCE, state and nonce. */
export function createOidc(config: OidcConfig, publicUrl: string, http: HttpClient) {
  const base = `${publicUrl.replace(/\/$/, '')}/console`
  // The same on every hub of the storage, so that any of them may answer the callback.
  const key = new Uint8Array(hkdfSync('sha256', config.clientSecret, '', 'sign-in at the console', 32))
  const fetchByRules = createFetch(http)
  let metadata: Promise<Configuration> | null = null

  async function discover(): Promise<Configuration> {
    const client = await import('openid-client')
    const { issuer, clientId, clientSecret, clientAuth } = config
    const auth = clientAuth === 'post' ? client.ClientSecretPost : client.ClientSecretBasic
    const isLocal = issuer.startsWith('http:')
    return await client.discovery(new URL(issuer), clientId, {}, auth(clientSecret), {
      [client.customFetch]: fetchByRules,
      // Signatures of ID tokens are checked too.
      execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
    })
  }

  async function provider(): Promise<Configuration> {
    metadata ??= discover()
    try {
      return await metadata
    } catch (error) {
      metadata = null
      throw new ProviderAwayError(`${config.issuer}: ${reasonsOf(error)}`)
    }
  }

  return {
    config,
    /** By the public address, to which the provider sends the browser back. */
    startUrl: `${base}${OIDC_START}`,

    /** Where to send the browser, and what it keeps meanwhile. Throws ProviderAwayError. */
    async start(to: string): Promise<{ url: string; sealed: string }> {
      const { EncryptJWT } = await import('jose')
      const client = await import('openid-client')
      const configuration = await provider()
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: `${base}${OIDC_CALLBACK}`,
        scope: config.scope,
        ...{ state, nonce },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      const sealed = new EncryptJWT({ state, nonce, verifier, to } satisfies Started)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${OIDC_TIMEOUT_S}s`)
      return { url: url.href, sealed: await sealed.encrypt(key) }
    },

    /** Throws ProviderAwayError; other errors: this is no sign-in that was started here. */
    async complete(query: string, sealed: string | null): Promise<Identified> {
      const { jwtDecrypt } = await import('jose')
      const { payload: started } = await jwtDecrypt<Started>(sealed ?? '', key, { requiredClaims: ['exp'] })
      const client = await import('openid-client')
      const configuration = await provider()
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${base}${OIDC_CALLBACK}?${query}`), {
        expectedState: started.state,
        expectedNonce: started.nonce,
        pkceCodeVerifier: started.verifier,
        idTokenExpected: true,
      })
      const idToken = tokens.claims() as IDToken
      const { sub } = idToken
      const isElsewhere = valuesOf(idToken, config.rolesClaim).length === 0 || idToken.email === undefined
      const asksMore = isElsewhere && configuration.serverMetadata().userinfo_endpoint !== undefined
      const info = asksMore ? await client.fetchUserInfo(configuration, tokens.access_token, sub) : {}
      const claims: Readonly<Record<string, unknown>> = { ...info, ...idToken }
      const values = valuesOf(claims, config.rolesClaim)
      const mapped = values.flatMap((value) => (Object.hasOwn(config.roles, value) ? [config.roles[value]] : []))
      return {
        subject: `${configuration.serverMetadata().issuer} ${sub}`,
        // Some providers write it as text.
        names: [...(String(claims.email_verified) === 'false' ? [] : [claims.email]), sub].filter(isName),
        role: ROLES.findLast((role) => mapped.includes(role)) ?? null,
        to: started.to,
      }
    },
  }
}

/** Messages of an error and its causes, for the log; those of openid-client have no values of tokens. */
export function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'error' in error && typeof error.error === 'string' ? ` (${error.error.slice(0, 60)})` : ''
  return `${error.message}${code}${error.cause instanceof Error ? `: ${reasonsOf(error.cause)}` : ''}`
}

export function isAway(error: unknown): boolean {
  return error instanceof ProviderAwayError || (error instanceof Error && isAway(error.cause))
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && /^(?!\.+$)[\p{L}\p{N}\x21-\x7e]{1,255}$/u.test(name)
}

/** Names may have dots themselves: `https://example.com/roles`. */
function valuesOf(claims: object, name: string): string[] {
  const within = (at: unknown, key: string) => (isMap(at) && Object.hasOwn(at, key) ? at[key] : undefined)
  const value = within(claims, name) ?? name.split('.').reduce<unknown>(within, claims)
  return [value].flat().filter((one) => typeof one === 'string')
}

function createFetch(http: HttpClient): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const result = await http.send({
      ...targetOf(url),
      method: method as HttpRequest['method'],
      headers,
      body: body === undefined || body === null ? null : Buffer.from(String(body)),
      keep: MAX_ANSWER_BYTES,
      ...(signal && { signal }),
    })
    if (result.type !== 'answered') throw new ProviderAwayError(result.fault.message)
    const { status, headers: answered, body: bytes, complete } = result.answer
    if (status >= 500 || !complete) throw new ProviderAwayError(`status ${status}${complete ? '' : ', too long'}`)
    const type = String(answered['content-type'] ?? '')
    return new Response(status === 204 ? null : Uint8Array.from(bytes), { status, headers: { 'content-type': type } })
  }
}

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

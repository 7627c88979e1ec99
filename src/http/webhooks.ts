import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import { type Request, type Response, Router } from 'express'
import { PLATFORM, PULLED, plainGuid, transportKeyOf } from '../domain/queue/event.ts'
import type { Inbox } from '../ingest/accept.ts'
import type { Clock } from '../lib/clock.ts'
import { isDecodable } from '../lib/http/url.ts'
import type { Logger } from '../lib/logger.ts'
import { free } from '../lib/thread.ts'
import type { Tracing } from '../lib/tracing.ts'
import { type Budget, readBody } from './body.ts'
import type { PosPriority } from './pos-priority.ts'
import { problem } from './problem.ts'
import {
  answerRefused,
  createTokenCheck,
  createUnauthorizedHandler,
  endWith,
  markAuthenticated,
  type Refused,
} from './refusals.ts'

interface Options {
  inbox: Inbox
  posPriority: Pick<PosPriority, 'waiting' | 'turn'>
  /** Told of each webhook that is answered with 2xx: how long that took (ms). */
  accepted(ms: number): void
  tokens: readonly string[]
  signature: SignatureOptions | undefined
  /** Express asks whether an address may send. */
  isLimited: boolean
  eventIdHeader: string | null
  keepHeaders: readonly string[]
  maxBody: number
  decoded: number
  budget: Budget
  refused: Refused
  /** Null: off. */
  tracing: Tracing | null
  clock: Clock
  logger: Logger
}

export interface Webhooks {
  /** Takes authentic webhooks without Express, which costs a quarter of all that one takes; `app` gets the other requests. */
  before(app: RequestListener): RequestListener
  /** For `app`: refuses strangers, and answers the webhooks that came to no verdict. */
  router: Router
}

/** What a callback URL names. */
interface Callback {
  kind: string
  subscription: string | null
}

/** Answers within Express, which knows the sender's address behind a proxy. */
type Otherwise = (request: Request, response: Response) => Promise<void>

/** The platform calls few URLs, again and again; an authentic sender of others fills no memory. */
const MAX_CALLBACKS = 1_000
const LONGEST_CALLBACK = 1_000

export function createWebhooks(options: Options): Webhooks {
  const { inbox, posPriority, tokens, eventIdHeader, keepHeaders, maxBody, decoded, budget, refused, clock, logger } =
    options
  const isKnown = createTokenCheck(tokens)
  const isSigned = options.signature && createSignatureCheck(options.signature)
  const keep = createKeptHeaders({ also: eventIdHeader ? [...keepHeaders, eventIdHeader] : keepHeaders, tokens })
  /** By URL, with its token: found by a hash, so no answer's time tells how much of a guess is right. */
  const authentic = new Map<string, Callback>()
  const unanswered = new WeakMap<IncomingMessage, Otherwise>()
  const refuse = createUnauthorizedHandler(
    'The callback URL must end with ?token=… and one of the tokens of platform.webhooks.tokens.',
    refused,
  )

  function callbackOf(url: string): Callback | null {
    const [, kind, subscription = null, query = ''] = WEBHOOK.exec(url) ?? []
    if (kind === undefined || !isKnown(parseQuery(query).token)) return null
    const callback = readCallback(kind, subscription)
    if (authentic.size < MAX_CALLBACKS && url.length <= LONGEST_CALLBACK) authentic.set(url, callback)
    return callback
  }

  /** Null: answered. */
  async function take(
    callback: Callback,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Otherwise | null> {
    const begun = performance.now()
    const receivedAt = clock.now()
    const { kind, subscription } = callback
    const headers = keep(request.headers)
    // What is stored of the headers is the context of all that the event causes.
    const span = options.tracing?.begin('accept', 'server', headers.traceparent, { 'tillbridge.kind': kind })
    if (span) headers.traceparent = span.traceparent
    const transportKey = eventIdHeader && transportKeyOf(textOf(request.headers[eventIdHeader]))
    const arrival = { kind, origin: PLATFORM, subscription, receivedAt, headers, transportKey }

    const body = await readBody(request, {
      ...{ limit: maxBody, decoded, budget },
      isSigned: isSigned && ((raw) => isSigned(request.headers, raw)),
    }).catch(() => null)
    if (body === null) {
      logger.warn({ kind, subscription }, 'webhook.broken-off')
      response.destroy()
      return null
    }
    if (body.type === 'refused') return (...answer) => answerRefused(...answer, body.why, refused)
    if (body.type === 'too-large') {
      const why = `the body of ${body.size} bytes or more is over the limit of ${body.limit}`
      // Of what nobody has signed nothing is stored.
      const id = body.isUnchecked ? undefined : (await inbox.refuse(arrival, why)).id
      logger.error({ kind, subscription, event: id, why }, 'webhook.refused')
      const detail = `${why}; fetch it from the event log, or raise server.maxBody.`
      return (...answer) => endWith(...answer, problem('body-too-large', detail, { id }))
    }
    const { bytes, packed, share } = body
    const verdict = await inbox.accept({ ...arrival, body: bytes, unreadable: null, packed }).finally(share.release)
    const { status, id } = verdict
    if (status === 'duplicate') free(bytes)
    if (posPriority.waiting > 0) await posPriority.turn()
    if (status === 'conflict') logger.error({ kind, event: id, with: verdict.with }, 'event.conflict')
    if (status === 'quarantined') logger.error({ kind, event: id }, 'event.quarantined')
    if (status === 'accepted' && verdict.sameKeyAs !== null)
      logger.error({ kind, event: id, with: verdict.sameKeyAs, header: eventIdHeader }, 'event.id-reused')
    // For the platform alone, no browser: only headers that describe it.
    const text = `{"status":"${status}","id":${id}}`
    const described = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(text.length)]
    response.writeHead(status === 'duplicate' ? 200 : 202, described).end(text, 'latin1')
    span?.end({ 'tillbridge.status': status, 'tillbridge.event': id })
    options.accepted(performance.now() - begun)
    return null
  }

  const router = Router()
  router.post('/webhooks/:kind{/:subscription}', async (request, response) => {
    const otherwise = unanswered.get(request) ?? refuse
    await otherwise(request, response)
  })

  return {
    before: (app) => (request, response) => {
      const { method, url = '' } = request
      const callback = method === 'POST' ? (authentic.get(url) ?? callbackOf(url)) : null
      if (callback === null) {
        request.url = asWritten(url)
        return app(request, response)
      }
      markAuthenticated(request, response, 'webhooks')
      const inExpress = (otherwise: Otherwise) => {
        unanswered.set(request, otherwise)
        request.url = asWritten(url)
        app(request, response)
      }
      if (options.isLimited)
        return inExpress(async (...answer) => (await take(callback, request, response))?.(...answer))
      take(callback, request, response).then(
        (otherwise) => otherwise && inExpress(otherwise),
        (error: unknown) => inExpress(() => Promise.reject(error)),
      )
    },
    router,
  }
}

interface SignatureOptions {
  header: string
  secrets: readonly string[]
}

/** `sha256=` and the hex of an HMAC of the body, as many proxies write it. Constant time. */
function createSignatureCheck({ header, secrets }: SignatureOptions): (headers: Headers, raw: Buffer) => boolean {
  return (headers, raw) => {
    const [, hex = ''] = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(textOf(headers[header])) ?? []
    const given = Buffer.from(hex, 'hex')
    return secrets
      .map((secret) => createHmac('sha256', secret).update(raw).digest())
      .some((right) => given.length === right.length && timingSafeEqual(given, right))
  }
}

/** As Express reads it: in any case, with a slash at its end, behind a scheme and host. */
const WEBHOOK = /^(?:https?:\/\/[^/?#]*)?\/webhooks\/([^/?#]+)(?:\/([^/?#]+))?\/?(?:\?([^#]*))?(?:#.*)?$/i

/** Characters. */
const LONGEST_KIND = 200

/** Taken literally where it is not encoded: authentic webhooks are never refused. */
function readCallback(kind: string, subscription: string | null): Callback {
  const isEncoded = isDecodable(`${kind}/${subscription}`)
  const [called, named] = isEncoded
    ? [decodeURIComponent(kind), subscription && decodeURIComponent(subscription)]
    : [kind, subscription]
  // Nothing that is sent here was pulled.
  return { kind: called.slice(0, LONGEST_KIND).toWellFormed(), subscription: named === PULLED ? null : named }
}

/** Express refuses a path that it cannot decode. */
function asWritten(url: string): string {
  if (!url.includes('%') || !url.startsWith('/webhooks/')) return url
  const [path = '', ...query] = url.split('?')
  return isDecodable(path) ? url : [path.replaceAll('%', '%25'), ...query].join('?')
}

function textOf(header: string | string[] = ''): string {
  return typeof header === 'string' ? header : header.join(', ')
}

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

/** A GUID under such a name may be a secret. */
const SECRET_NAME = /auth|cookie|token|secret|passw|credential|session|principal|csrf|xsrf|key/

/** A proxy may repeat the callback URL, encoded or not. */
const TOKEN_IN_URL = /((?:[?&]|%(?:25)?3f|%(?:25)?26)token(?:=|%(?:25)?3d))[^&\s,;"'<>%]*/gi

const HIDDEN = '(hidden)'

interface HeaderOptions {
  also: readonly string[]
  tokens: readonly string[]
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Listed ones, and any that is a plain GUID: the header of the platform's event id is not documented and `doctor`
 * learns it from these.
 */
export function createKeptHeaders({ also, tokens }: HeaderOptions): (headers: Headers) => Record<string, string> {
  const listed = new Set([...KEPT, ...also])
  const guids = new Set(tokens.map(plainGuid))
  const written = tokens.flatMap((token) => {
    const once = encodeURIComponent(token.toWellFormed())
    return [encodeURIComponent(once), once, token]
  })

  return (headers) => {
    const kept: Record<string, string> = {}
    for (const name in headers) {
      const value = textOf(headers[name])
      if (listed.has(name)) {
        const hidden = written.reduce((text, token) => text.replaceAll(token, HIDDEN), value)
        kept[name] = hidden.replace(TOKEN_IN_URL, `$1${HIDDEN}`)
      } else if (value.length >= 32 && value.length <= 40 && !SECRET_NAME.test(name)) {
        const guid = plainGuid(value)
        if (guid !== null && !guids.has(guid)) kept[name] = value
      }
    }
    return kept
  }
}

import { type Request, type Response, Router } from 'express'
import { PLATFORM, PULLED, plainGuid, transportKeyOf } from '../domain/queue/event.ts'
import type { Inbox } from '../ingest/accept.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { free } from '../lib/thread.ts'
import type { Verdict } from '../storage/arrival.ts'
import { readBody } from './body.ts'
import type { Budget } from './budget.ts'
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
  posPriority: Pick<PosPriority, 'turn'>
  tokens: readonly string[]
  eventIdHeader: string | null
  keepHeaders: readonly string[]
  maxBody: number
  decoded: number
  budget: Budget
  refused: Refused
  clock: Clock
  logger: Logger
}

/** Characters. */
const LONGEST_KIND = 200

/** Takes whatever is authentic. */
export function createWebhooks(options: Options): Router {
  const { inbox, posPriority, tokens, eventIdHeader, keepHeaders, maxBody, decoded, budget, refused, clock, logger } =
    options
  const known = createTokenCheck(tokens)
  const keep = createKeptHeaders({ also: eventIdHeader ? [...keepHeaders, eventIdHeader] : keepHeaders, tokens })
  const refuse = createUnauthorizedHandler(
    'The callback URL must end with ?token=… and one of the tokens of platform.webhooks.tokens.',
    refused,
  )
  const router = Router()
  router.post('/webhooks/:kind{/:subscription}', async (request, response) => {
    if (!known(request.query.token)) return await refuse(request, response)
    markAuthenticated(request, response, 'webhooks')
    await take(request, response)
  })
  return router

  async function take(request: Request, response: Response): Promise<void> {
    const { kind: called = '', subscription: named = null } = request.params as { kind?: string; subscription?: string }
    const kind = called.slice(0, LONGEST_KIND).toWellFormed()
    // Nothing that is sent here was pulled.
    const subscription = named === PULLED ? null : named
    const receivedAt = clock.now()
    const headers = keep(request.headers)
    const transportKey = eventIdHeader && transportKeyOf(textOf(request.headers[eventIdHeader]))
    const arrival = { kind, origin: PLATFORM, subscription, receivedAt, headers, transportKey }

    const body = await readBody(request, { limit: maxBody, decoded, budget }).catch(() => null)
    if (body === null) {
      logger.warn({ kind, subscription }, 'webhook.broken-off')
      response.destroy()
    } else if (body.type === 'too-large') {
      const why = `the body of ${body.size} bytes or more is over the limit of ${body.limit}`
      const { id } = await inbox.refuse(arrival, why)
      logger.error({ kind, subscription, event: id, why }, 'webhook.refused')
      const detail = `${why}; fetch it from the event log, or raise server.maxBody.`
      await endWith(request, response, problem('body-too-large', detail, { id }))
    } else if (body.type === 'refused') {
      await answerRefused(request, response, body.why, refused)
    } else {
      const verdict = await inbox
        .accept({ ...arrival, body: body.bytes, unreadable: null, packed: body.packed })
        .finally(body.share.release)
      if (verdict.status === 'duplicate') free(body.bytes)
      const turn = posPriority.turn()
      if (turn) await turn
      if (verdict.status === 'conflict') logger.error({ kind, event: verdict.id, with: verdict.with }, 'event.conflict')
      if (verdict.status === 'quarantined') logger.error({ kind, event: verdict.id }, 'event.quarantined')
      if (verdict.status === 'accepted' && verdict.sameKeyAs !== null)
        logger.error({ kind, event: verdict.id, with: verdict.sameKeyAs, header: eventIdHeader }, 'event.id-reused')
      answer(response, verdict)
    }
  }
}

function answer(response: Response, { status, id }: Verdict) {
  // Faster than Express's JSON.
  const text = `{"status":"${status}","id":${id}}`
  const headers = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(text.length)]
  response.writeHead(status === 'duplicate' ? 200 : 202, headers).end(text, 'latin1')
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
      const value = textOf(headers[name])
      if (listed.has(name)) kept[name] = withoutToken(value)
      else if (mayNameEvent(name, value)) kept[name] = value
    }
    return kept
  }
}

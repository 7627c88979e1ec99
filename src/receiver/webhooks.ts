import { type Request, type Response, Router } from 'express'
import { PLATFORM } from '../domain/event.ts'
import type { Inbox } from '../inbox/accept.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { answerProblem } from '../lib/problem.ts'
import { createTokenCheck } from '../lib/tokens.ts'
import { createWrongTokenAnswer } from '../lib/wrong-tokens.ts'
import type { Verdict } from '../store/store.ts'
import { readBody } from './body.ts'
import type { Pace } from './pace.ts'

interface Options {
  inbox: Inbox
  /** Lets tills go first. */
  pace: Pick<Pace, 'turn'>
  /** Tokens that are accepted, several for rotation. */
  tokens: readonly string[]
  /** The header that carries the platform's event id, in lower case; null: not known. */
  eventIdHeader: string | null
  /** Largest body that is taken (bytes). */
  maxBody: number
  clock: Clock
  logger: Logger
}

const SECRET_HEADER = /authorization|cookie|token|secret|password|api-?key|subscription-key/

/** A proxy may repeat the callback URL in a header (x-original-url, referer …), and with it the token. */
const TOKEN_IN_URL = /([?&]token=)[^&\s,]*/gi

/** `POST /webhooks/{kind}/{subscription?}?token=…`: takes whatever is authentic. */
export function createWebhooks({ inbox, pace, tokens, eventIdHeader, maxBody, clock, logger }: Options): Router {
  const known = createTokenCheck(tokens)
  const refuse = createWrongTokenAnswer(
    'The callback URL must end with ?token=… and one of the tokens of platform.webhooks.tokens.',
  )
  const router = Router()
  router.post('/webhooks/:kind{/:subscription}', async (request, response) => {
    if (known(request.query.token)) await take(request, response)
    else await refuse(request, response)
  })
  router.all('/webhooks{/*rest}', (_, response) => {
    response.set('Allow', 'POST')
    answerProblem(response, {
      status: 405,
      code: 'not-a-webhook',
      title: 'Not a webhook',
      detail: 'Webhooks are POST /webhooks/{kind} or /webhooks/{kind}/{subscription}, with ?token=….',
    })
  })
  return router

  async function take(request: Request, response: Response): Promise<void> {
    const { kind = '', subscription = null } = request.params as { kind?: string; subscription?: string }
    const receivedAt = clock.now()
    const headers = keep(request.headers)
    const transportKey = (eventIdHeader && textOf(request.headers[eventIdHeader])) || null
    const arrival = { kind, origin: PLATFORM, subscription, receivedAt, headers, transportKey }

    const body = await readBody(request, maxBody).catch(() => null)
    if (body === null) {
      logger.warn({ kind, subscription }, 'webhook.broken-off')
      response.destroy()
    } else if (body.type === 'too-large') {
      const why = `the body of ${body.size} bytes or more is over the limit of ${maxBody}`
      const { id } = await inbox.refuse(arrival, why)
      logger.error({ kind, subscription, event: id, why }, 'webhook.refused')
      // The connection stays: Node reads away what is still coming, so a sender that writes all first gets the answer too.
      const detail = `${why}; fetch it from the event log, or raise server.maxBody.`
      answerProblem(response, { status: 413, code: 'body-too-large', title: 'Too large', detail, more: { id } })
    } else {
      const verdict = await inbox.accept({ ...arrival, body: body.bytes, unreadable: body.unreadable })
      const turn = pace.turn()
      if (turn) await turn
      if (verdict.status === 'conflict') logger.error({ kind, event: verdict.id, with: verdict.with }, 'event.conflict')
      if (verdict.status === 'quarantined') logger.error({ kind, event: verdict.id }, 'event.quarantined')
      answer(response, verdict)
    }
  }
}

function answer(response: Response, { status, id }: Verdict) {
  // Plain ASCII, written without what Express does for JSON in general.
  response.statusCode = status === 'duplicate' ? 200 : 202
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.end(`{"status":"${status}","id":${id}}`, 'latin1')
}

/** Headers worth keeping; secrets dropped. */
function keep(headers: Request['headers']): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name in headers)
    if (!SECRET_HEADER.test(name)) kept[name] = textOf(headers[name]).replace(TOKEN_IN_URL, '$1(hidden)')
  return kept
}

function textOf(header: string | string[] = ''): string {
  return typeof header === 'string' ? header : header.join(', ')
}

import express, { type ErrorRequestHandler, type Response, Router } from 'express'

/** A text message that the gateway took. */
export interface Text {
  id: string
  /** E.164: `+4791234567`. */
  to: string
  text: string
  /** The sender's own name of it; null where there was none. The same one may come twice. */
  reference: string | null
  receivedAt: Date
}

export interface GatewayState {
  texts: Text[]
  /** Numbers to which nothing is sent. */
  refused: Set<string>
  isDown: boolean
}

/** As real gateways have it: several joined messages, and no more. */
const LONGEST_TEXT = 1_600

/**
 * `POST /messages` with `{ to, text, reference }` and a key. Like most real gateways it does not deduplicate: what is sent
 * twice is on the telephone twice.
 */
export function createGateway(state: GatewayState, isAllowed: (authorization: string | undefined) => boolean): Router {
  const router = Router()
  router.use('/messages', (request, response, next) => {
    if (state.isDown) refuse(response, 503, 'unavailable', 'The gateway is down.')
    else if (!isAllowed(request.headers.authorization)) refuse(response, 401, 'unauthorized', 'The API key is wrong.')
    else next()
  })
  router.post('/messages', express.json({ limit: '64kb' }), ({ body }, response) => {
    const { to, text, reference } = (body ?? {}) as Record<string, unknown>
    if (typeof to !== 'string' || !/^\+[1-9]\d{6,14}$/.test(to)) {
      refuse(response, 400, 'invalid-number', '`to` must be a number in the E.164 format.')
    } else if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_TEXT) {
      refuse(response, 400, 'invalid-text', `\`text\` must have 1 to ${LONGEST_TEXT} characters.`)
    } else if (state.refused.has(to)) {
      refuse(response, 422, 'refused-number', `Nothing is sent to ${to}.`)
    } else {
      const id = `text-${state.texts.length + 1}`
      const named = typeof reference === 'string' && reference !== '' ? reference : null
      state.texts.push({ id, to, text, reference: named, receivedAt: new Date() })
      response.status(201).json({ id, status: 'queued' })
    }
  })
  router.all('/messages', (_, response) => {
    refuse(response.set('Allow', 'POST'), 405, 'method-not-allowed', 'Only POST is understood.')
  })
  router.use('/messages', malformed)
  return router
}

/** A body that is no JSON, or too long. */
const malformed: ErrorRequestHandler = (error: { status?: number }, _request, response, _next) => {
  refuse(response, error.status ?? 500, 'invalid-body', 'The body must be JSON of at most 64 KB.')
}

function refuse(response: Response, status: number, code: string, message: string): void {
  response.status(status).json({ error: { code, message } })
}

import { type Request, type Response, Router } from 'express'
import { messageOf } from '../../domain/values/errors.ts'
import { type Refused, recognise } from '../../lib/http/problem.ts'
import { createWrongTokenAnswer } from '../../lib/http/tokens.ts'
import { beyondLimits, type JsonLimits } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Intake, IntakeItem, IntakeRequest } from '../../ports/intake.ts'
import { packingOf, readRaw } from '../body.ts'
import type { Budget } from '../budget.ts'
import { endWith, sendProblem, tooLarge } from '../problem.ts'
import type { IntakeSystem, Taken, Taking } from './accept-orders.ts'

interface Options {
  systems: readonly Pick<IntakeSystem, 'name' | 'intake'>[]
  taking: Taking
  maxBody: number
  limits: JsonLimits
  budget: Budget
  refused: Refused
  logger: Logger
}

/** For senders known only after the whole body (bytes). */
const LARGEST = 2_000_000

/** `POST /intake/{destination}`: webhooks of own systems. */
export function createIntake({ systems, taking, maxBody, limits, budget, refused, logger }: Options): Router {
  const byName = new Map(systems.map(({ name, intake }) => [name, intake]))
  const limit = Math.min(maxBody, LARGEST)
  const refuse = createWrongTokenAnswer(
    'The request is not signed as this system signs its own: compare the secret of its webhook with the one in config.',
    refused,
  )
  const router = Router()
  router.post('/intake/:destination', take)
  return router

  async function take(request: Request, response: Response): Promise<void> {
    const { destination = '' } = request.params as { destination?: string }
    const intake = byName.get(destination)
    if (!intake?.verify || !intake.read) return answerUnknown(response)
    if (packingOf(request.headers['content-encoding']).length > 0) return answerEncoded(response)
    const body = await readRaw(request, { limit, budget }).catch(() => null)
    if (body === null) return void response.destroy()
    if (body.type === 'too-large') return await endWith(request, response, tooLarge(limit))
    if (body.type === 'refused') {
      refused(body.why, request.ip)
      return void response.destroy()
    }
    response.once('close', body.share.release)
    const asked = { headers: flat(request.headers), query: flat(request.query), body: body.bytes }
    // Unauthenticated, so not logged. WooCommerce takes anything but 200 for an error.
    if (holds('isPing', intake, asked, destination)) return void response.status(200).json(answerOf([]))
    if (!holds('verify', intake, asked, destination)) return await refuse(request, response)
    recognise(request, response, `intake ${destination}`)
    const beyond = beyondLimits(body.bytes, limits)
    const items = beyond === null ? await readItems(intake, asked) : `not read: ${beyond} (server.limits)`
    const taken =
      typeof items === 'string'
        ? [await taking.keepUnreadable(destination, body.bytes, items)]
        : await taking.take(destination, items, body.bytes)
    const said = answerOf(taken)
    logger.info({ destination, ...said }, 'intake.taken')
    response.status(202).json(said)
  }

  function holds(check: 'isPing' | 'verify', intake: Intake, request: IntakeRequest, destination: string): boolean {
    try {
      return intake[check]?.(request) === true
    } catch (error) {
      logger.warn({ destination, problem: messageOf(error) }, 'intake.not-verified')
      return false
    }
  }
}

async function readItems(intake: Intake, request: IntakeRequest): Promise<IntakeItem[] | string> {
  try {
    return (await intake.read?.(request)) ?? []
  } catch (error) {
    return `not readable: ${messageOf(error)}`
  }
}

const STATUSES: readonly Taken['status'][] = ['accepted', 'quarantined', 'conflict', 'refused', 'duplicate', 'nothing']

function answerOf(taken: readonly Taken[]): { status: Taken['status']; ids: number[] } {
  const status = STATUSES.find((one) => taken.some((item) => item.status === one)) ?? 'nothing'
  return { status, ids: taken.flatMap(({ id }) => id ?? []) }
}

function answerUnknown(response: Response): void {
  const detail = 'No destination of this name takes requests of its own system.'
  sendProblem(response, 'no-intake', detail)
}

function answerEncoded(response: Response): void {
  const detail = 'Send the body as it is signed, without Content-Encoding.'
  sendProblem(response, 'unsupported-media-type', detail)
}

function flat(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const written = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    written.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  )
}

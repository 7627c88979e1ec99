import type { RequestHandler, Response } from 'express'
import { outcomeOf } from '../../domain/queue/outcome.ts'
import { answerProblem } from '../../lib/http/problem.ts'
import type { Platform } from '../../platform/platform.ts'
import { answerNotAskable, NotAskableError } from './resources/stock-count.ts'

type OperationName = Parameters<Platform['operations']['isProven']>[0]

/** How long a shop waits for the platform (milliseconds). */
const PATIENCE = 15_000

/**
 * `GET /v1/gift-cards/{token}` and `/v1/vouchers/{code}`: what they are good for now, before a customer pays with them. The platform
 * is asked each time; nothing of it is kept.
 */
export function createChecks(platform: Platform | null): { giftCard: RequestHandler; voucher: RequestHandler } {
  async function ask<Found>(
    response: Response,
    operation: OperationName,
    what: 'gift card' | 'voucher',
    read: (platform: Platform, signal: AbortSignal) => Promise<Found | null>,
    show: (found: Found) => object,
  ): Promise<void> {
    response.set('Cache-Control', 'no-store')
    if (!platform) return answerNotAskable(response, new NotAskableError('The hub has no platform.baseUrl.'))
    try {
      const found = await read(platform, AbortSignal.timeout(PATIENCE))
      if (found !== null) return void response.json(show(found))
      if (await platform.operations.isProven(operation)) return answerNone(response, what)
      answerNotProven(response, what, operation)
    } catch (error) {
      const outcome = outcomeOf(error)
      const why = 'why' in outcome ? outcome.why : ''
      answerNotAskable(response, new NotAskableError(`The platform did not tell: ${why}`, { cause: error }))
    }
  }

  return {
    giftCard: async ({ params }, response) =>
      await ask(
        response,
        'giftCards.balance',
        'gift card',
        ({ giftCards }, signal) => giftCards.balance(nameIn(params, 'token'), signal),
        (balance) => ({ balance }),
      ),

    voucher: async ({ params }, response) =>
      await ask(
        response,
        'vouchers.read',
        'voucher',
        ({ vouchers }, signal) => vouchers.read(nameIn(params, 'code'), signal),
        ({ amount, redeemed, expires }) => ({ amount, redeemed, expires }),
      ),
  }
}

function nameIn(params: object, name: string): string {
  return String((params as Record<string, unknown>)[name] ?? '').trim()
}

function answerNone(response: Response, what: 'gift card' | 'voucher'): void {
  const code = `no-such-${what.replace(' ', '-')}`
  answerProblem(response, { status: 404, code, title: `No such ${what}`, detail: `The platform has no such ${what}.` })
}

function answerNotProven(response: Response, what: string, operation: string): void {
  answerProblem(response, {
    status: 503,
    code: 'not-proven',
    title: 'The platform may not be able to tell',
    detail:
      `This platform has never told of any ${what}, so its word that it has none of this name proves nothing: it may have no such ` +
      `endpoint (platform.endpoints, ${operation}).`,
  })
}

import { hash } from 'node:crypto'
import type { Response } from 'express'
import type { SubmittedStockCount } from '../../../domain/catalogue/submitted.ts'
import { outcomeOf } from '../../../domain/queue/outcome.ts'
import { answerProblem } from '../../../lib/http/problem.ts'
import { asideText } from '../../../platform/http/listed.ts'
import type { Platform } from '../../../platform/platform.ts'

/** The effect that a complete count would have, as the platform stands now. */
export interface CountEffect {
  /** Articles of the stock that are not in the count, and are not 0 yet; by GTIN. */
  wouldBecomeZero: { gtin: string; quantity: string }[]
  /** Stands for the count and for that list: given with the count, it says that somebody has seen it. */
  confirmation: string
}

/** The platform could not say what a count would do. */
export class NotAskableError extends Error {
  override name = 'NotAskableError'
}

/** Asks the platform for the levels of the stock. Throws a NotAskableError. */
export async function effectOf(count: SubmittedStockCount, platform: Platform | null): Promise<CountEffect> {
  if (!platform) throw new NotAskableError('The hub has no platform.baseUrl, so it cannot ask for the levels.')
  const { rows, aside } = await platform.stock.levels({ stockIds: [count.stockId] }).catch((error: unknown) => {
    const outcome = outcomeOf(error)
    const why = 'why' in outcome ? outcome.why : ''
    throw new NotAskableError(`The platform did not tell the levels of stock ${count.stockId}: ${why}`, {
      cause: error,
    })
  })
  const counted = new Set(count.items.map(({ gtin }) => gtin))
  const unreadable = asideText(aside)
  if (unreadable !== null)
    throw new NotAskableError(
      `What the platform told of stock ${count.stockId} does not say all that would become 0: ${unreadable}.`,
    )
  const wouldBecomeZero = rows
    .filter(({ id, quantity }) => quantity !== '0' && !counted.has(id.trim()))
    .map(({ id, quantity }) => ({ gtin: id.trim(), quantity }))
    .sort((a, b) => (a.gtin < b.gtin ? -1 : 1))
  return { wouldBecomeZero, confirmation: confirmationOf(count, wouldBecomeZero) }
}

/** The levels themselves are not part of it: a sale during the count changes nothing about which articles become 0. */
function confirmationOf(
  { stockId, stockCountTime, items }: SubmittedStockCount,
  wouldBecomeZero: CountEffect['wouldBecomeZero'],
): string {
  const zero = wouldBecomeZero.map(({ gtin }) => gtin)
  return hash('sha256', JSON.stringify([stockId, stockCountTime, items, zero])).slice(0, 32)
}

/** The answer to a dry run. */
export function answerEffect(response: Response, { wouldBecomeZero, confirmation }: CountEffect): void {
  response.json({ dryRun: true, wouldBecomeZero, count: wouldBecomeZero.length, confirmation })
}

/** The answer to an outdated confirmation. Nothing was taken: what would become 0 is not what was confirmed. */
export function answerOutdated(response: Response, { wouldBecomeZero, confirmation }: CountEffect): void {
  answerProblem(response, {
    status: 409,
    code: 'confirmation-outdated',
    title: 'Something else would become 0 now',
    detail:
      'The confirmation is not for this count and the articles that would become 0 now. Nothing was taken. Look at the ' +
      'new list, and send the count again with its confirmation.',
    more: { wouldBecomeZero, count: wouldBecomeZero.length, confirmation },
  })
}

/** The answer where the platform cannot be asked. Nothing was taken; the same may work later. */
export function answerNotAskable(response: Response, error: NotAskableError): void {
  answerProblem(response, {
    status: 503,
    code: 'platform-unavailable',
    title: 'The platform cannot be asked now',
    detail: error.message,
    retryAfter: 30,
  })
}

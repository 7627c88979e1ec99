import { hash } from 'node:crypto'
import type { SubmittedStockCount } from '../../domain/catalogue/submitted.ts'
import { outcomeOf } from '../../domain/queue/outcome.ts'
import { rejectedText } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import { type ProblemError, refusal } from '../problem.ts'
import { invalid } from './take.ts'

/** By the platform's current levels. */
export interface CountEffect {
  wouldBecomeZero: { gtin: string; quantity: string }[]
  count: number
  /** Proof that an operator saw the list. */
  confirmation: string
}

export async function effectOf(count: SubmittedStockCount, platform: Platform | null): Promise<CountEffect> {
  if (!platform) throw notAskable('The hub has no platform.baseUrl, so it cannot ask for the levels.')
  const { rows, rejected } = await platform.stock.levels({ stockIds: [count.stockId] }).catch((error: unknown) => {
    const outcome = outcomeOf(error)
    const why = 'why' in outcome ? outcome.why : ''
    throw notAskable(`The platform did not tell the levels of stock ${count.stockId}: ${why}`)
  })
  const unreadable = rejectedText(rejected)
  if (unreadable !== null)
    throw notAskable(
      `What the platform told of stock ${count.stockId} does not say all that would become 0: ${unreadable}.`,
    )
  const counted = new Set(count.items.map(({ gtin }) => gtin))
  const wouldBecomeZero = rows
    .map(({ id, quantity }) => ({ gtin: id.trim(), quantity }))
    .filter(({ gtin, quantity }) => quantity !== '0' && !counted.has(gtin))
    .sort((a, b) => (a.gtin < b.gtin ? -1 : 1))
  // Not the levels: sales during the count do not matter.
  const confirmed = [count.stockId, count.stockCountTime, count.items, wouldBecomeZero.map(({ gtin }) => gtin)]
  const confirmation = hash('sha256', JSON.stringify(confirmed)).slice(0, 32)
  return { wouldBecomeZero, count: wouldBecomeZero.length, confirmation }
}

export function notConfirmed(): ProblemError {
  const fault =
    'confirmation: found nothing, expected what the same request with ?dryRun=true answers: every article that is not in the count becomes 0'
  return invalid([{ line: 1, faults: [fault] }], 1)
}

export function confirmationStale(effect: CountEffect): ProblemError {
  return refusal(
    'confirmation-stale',
    'The confirmation is not for this count and the articles that would become 0 now. Nothing was taken. Look at the ' +
      'new list, and send the count again with its confirmation.',
    { ...effect },
  )
}

function notAskable(detail: string): ProblemError {
  return refusal('platform-unavailable', detail)
}

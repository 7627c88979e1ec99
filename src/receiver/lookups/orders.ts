import type { RequestHandler, Response } from 'express'
import type { Config } from '../../config/config.ts'
import type { FoundOrder } from '../../domain/orders/found-order.ts'
import { unescaped } from '../../domain/values/unescaped.ts'
import type { Clock } from '../../lib/clock.ts'
import { answerProblem, type Refused } from '../../lib/http/problem.ts'
import type { Logger } from '../../lib/logger.ts'
import type { LookupRow } from '../../store/screens.ts'
import type { TillPriority } from '../till-priority.ts'
import { type Answers, createAsk } from './ask.ts'
import { nameSources } from './headers.ts'
import { createLookupRouter } from './lookup-router.ts'
import { platformOrder } from './order-answer.ts'
import { bestOrder } from './order-match.ts'
import { isOrder } from './rows.ts'
import { chooseSources, type Source } from './source.ts'
import { createTemplate } from './template.ts'
import { toldApart } from './told-apart.ts'

interface Options {
  noteLookup(lookup: LookupRow): Promise<void>
  tillPriority: Pick<TillPriority, 'during'>
  refused: Refused
  clock: Clock
  logger: Logger
}

/** When a source did not answer, it may a little later (seconds). */
const RETRY = 5

/**
 * The till looks for an online order by its number (spec, "Order lookup in an external OMS"), for a return in the store.
 * That there is none is only said when all sources said so. Throws a UserError where config is wrong.
 */
export function createOrderLookup(
  config: NonNullable<Config['lookups']['orders']>,
  there: readonly Source<string, FoundOrder>[],
  { noteLookup, tillPriority, refused, clock, logger }: Options,
): RequestHandler {
  const { tokens, perMinute, parameter, budget, answer: template } = config
  const sources = chooseSources(there, config.ask, 'orders')
  const ask = createAsk(sources, { isFound: isOrder, budget, clock, logger })
  const shape = template === undefined ? null : createTemplate<FoundOrder>(template, 'lookups.orders.answer', 'order')
  return createLookupRouter({ name: 'orders', tokens, perMinute, parameter, clock, tillPriority, refused, answer })

  async function answer(asked: string, response: Response, gone: AbortSignal): Promise<void> {
    const number = unescaped(asked).trim()
    const at = clock.now()
    const answers = await ask(number, gone)
    const order = bestOrder(toldApart(answers.answered, number), number)
    try {
      if (gone.aborted) return
      nameSources(response, answers)
      if (order) response.json(shape ? shape(order) : platformOrder(order))
      else notFound(response, answers.missing)
    } finally {
      // However it was typed, its timeline is that of its own number.
      note({ at, number: order?.number ?? number, ...summaryOf(answers) })
    }
  }

  /** For the order's timeline; the till has its answer by now. */
  function note(lookup: LookupRow): void {
    const { number: _, at: __, ...said } = lookup
    logger.info({ lookup: 'orders', ...said }, 'lookup.answered')
    // Somebody typed an e-mail address where a number belongs: no order's timeline is asked for that.
    if (lookup.number.includes('@')) return
    noteLookup(lookup).catch((error: unknown) => {
      logger.warn({ problem: error instanceof Error ? error.name : 'error' }, 'lookup.not-noted')
    })
  }
}

function summaryOf({ answered, missing, ms }: Answers<FoundOrder>) {
  return { found: answered.filter(({ found }) => found.length > 0).map(({ source }) => source), missing, ms }
}

function notFound(response: Response, missing: readonly string[]): void {
  if (missing.length === 0)
    answerProblem(response, {
      status: 404,
      code: 'order-not-found',
      title: 'There is no such order',
      detail: 'Every system that was asked has answered, and none has an order of this number.',
    })
  else
    answerProblem(response, {
      status: 503,
      code: 'order-perhaps-elsewhere',
      title: 'Not all systems have answered',
      detail: `${missing.join(', ')} did not answer in time; the order may be there. Ask again.`,
      retryAfter: RETRY,
    })
}

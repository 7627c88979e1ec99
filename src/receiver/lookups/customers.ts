import type { RequestHandler, Response } from 'express'
import type { Config } from '../../config/config.ts'
import { type CustomerQuery, readCustomerQuery } from '../../domain/people/customer-query.ts'
import type { CustomerRecord } from '../../domain/people/customer-record.ts'
import type { Clock } from '../../lib/clock.ts'
import { answerProblem, type Refused } from '../../lib/http/problem.ts'
import type { Logger } from '../../lib/logger.ts'
import type { TillPriority } from '../till-priority.ts'
import { createAsk } from './ask.ts'
import { platformCustomer } from './customer-answer.ts'
import { nameSources } from './headers.ts'
import { createLookupRouter } from './lookup-router.ts'
import { mergePeople } from './people.ts'
import { isCustomer } from './rows.ts'
import { SAMPLE_CUSTOMERS } from './samples.ts'
import { chooseSources, type Source } from './source.ts'
import { createListTemplate } from './template.ts'

interface Options {
  tillPriority: Pick<TillPriority, 'during'>
  refused: Refused
  clock: Clock
  logger: Logger
}

/**
 * The till looks for a customer (spec, "Customer lookup in an external CRM"). Whoever is found within the budget is
 * answered; nobody is an empty list. Throws a UserError where config is wrong.
 */
export function createCustomerLookup(
  config: NonNullable<Config['lookups']['customers']>,
  there: readonly Source<CustomerQuery, CustomerRecord>[],
  { tillPriority, refused, clock, logger }: Options,
): RequestHandler {
  const { tokens, perMinute, countries, budget, answer: template } = config
  const sources = chooseSources(there, config.ask, 'customers')
  const ask = createAsk(sources, { isFound: isCustomer, budget, clock, logger })
  const shape =
    template === undefined ? null : createListTemplate(template, 'lookups.customers.answer', SAMPLE_CUSTOMERS)
  return createLookupRouter({
    name: 'customers',
    tokens,
    perMinute,
    parameter: 'query',
    clock,
    tillPriority,
    refused,
    answer,
  })

  async function answer(asked: string, response: Response, gone: AbortSignal): Promise<void> {
    const query = readCustomerQuery(asked, countries)
    if (query === null) return neither(response)
    const answers = await ask(query, gone)
    if (gone.aborted) return
    const customers = mergePeople(answers.answered, query)
    const { missing, ms } = answers
    nameSources(response, answers)
    response.json(shape ? shape(customers) : customers.map(platformCustomer))
    const from = answers.answered.map(({ source, found }) => `${source} ${found.length}`)
    logger.info({ lookup: 'customers', found: customers.length, from, missing, ms }, 'lookup.answered')
  }
}

function neither(response: Response): void {
  answerProblem(response, {
    status: 400,
    code: 'neither-email-nor-phone',
    title: 'Neither an e-mail address nor a phone number',
    detail: 'Look for a customer by a whole e-mail address, or by a phone number with or without its country.',
  })
}

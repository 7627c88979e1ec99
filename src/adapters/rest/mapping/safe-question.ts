import { type BuiltRequest, buildRequest } from '../asking/request.ts'
import type { RestOptions } from '../schema.ts'
import { MappingError } from './mapping-error.ts'
import { sampleOf } from './samples.ts'
import type { RequestTemplate } from './template.ts'

/** A request of config that changes nothing, and where it stands there. */
export interface SafeQuestion {
  where: string
  request: BuiltRequest
  statuses: RequestTemplate['statuses']
}

type Candidate = [where: string, template: RequestTemplate, input: object]

/**
 * A question that changes nothing in a system: the one that config names for it, else one of its reads, filled with a
 * sample that nobody has. Null: it has none.
 */
export function safeQuestion(options: RestOptions): SafeQuestion | null {
  for (const [where, template, input] of candidates(options)) {
    const request = built(template, input)
    // A 404 is an answer as well: the sample that is asked for need not be there.
    if (request) return { where, request, statuses: { 404: 'done', ...template.statuses } }
  }
  return null
}

function* candidates({ examine, stock, orders, customers, backOffice }: RestOptions): Generator<Candidate> {
  if (examine) yield ['examine', examine, {}]
  if (orders?.search) yield ['orders.search', orders.search, sampleOf('orders', 'search', 1)]
  const { byEmail, byPhone } = customers ?? {}
  if (byEmail) yield ['customers.byEmail', byEmail, sampleOf('customers', 'byEmail', 1)]
  if (byPhone) yield ['customers.byPhone', byPhone, sampleOf('customers', 'byPhone', 1)]
  const { search: _, ...ofOrders } = orders ?? {}
  const effects = {
    orders: ofOrders,
    customers: { upsert: customers?.upsert, noteConsent: customers?.noteConsent },
    backOffice: backOffice ?? {},
  }
  for (const [section, methods] of Object.entries(effects))
    for (const [method, written] of Object.entries(methods))
      for (const { find } of [written ?? []].flat())
        if (find) yield [`${section}.${method}.find`, find, sampleOf(section, method, 1)]
  const levels = stock?.readLevels
  if (levels) yield ['stock.readLevels', levels, { location: 'oslo', ...('first' in levels && { page: levels.first }) }]
}

/** Null: the sample does not suit it. */
function built(template: RequestTemplate, input: object): BuiltRequest | null {
  try {
    return buildRequest(template, input)
  } catch (error) {
    if (error instanceof MappingError) return null
    throw error
  }
}

import { KINDS } from '../schemas/kinds.ts'
import { schemaOf } from '../schemas/schemas.ts'
import type { Random } from '../seed/random.ts'
import type { Dialect, EventDialect } from './dialect.ts'
import { drawFields } from './drawn-fields.ts'
import { SPEC_OPERATIONS } from './spec-operations.ts'

/** The kinds whose payload the specification shows (Resources; Events 7 names those that it does not). */
const SHOWN = [
  'SaleCreated',
  'StockMovementCreated',
  'OmniChannelEndlessAisleOrderCreated',
  'OmniChannelOrderRefundUpdated',
  'OmniChannelOrderUpdated',
  'OmniChannelSendReceiptCreated',
  'DeliveryCreated',
  'DeliveryUpdated',
]

/** All that it names of other payloads (Events 18). */
const NAMED: Readonly<Record<string, readonly string[]>> = { StockCountReconciled: ['countedDateTime'] }

/**
 * The specification to the letter: what it does not show is not there, is not answered, or is called what nobody can guess. Only
 * the schema endpoint, which it does show, tells what.
 */
export function createSpec(random: Random): Dialect {
  return { base: '', operations: SPEC_OPERATIONS, events: eventsOf(random) }
}

function eventsOf(random: Random): EventDialect {
  const drawn = new Map(
    KINDS.filter((kind) => !SHOWN.includes(kind)).map((kind) => [
      kind,
      drawFields(schemaOf(kind) ?? {}, random, NAMED[kind]),
    ]),
  )
  return {
    isShown: (kind) => SHOWN.includes(kind),
    write: (kind, payload) => (drawn.get(kind)?.write(payload) ?? payload) as object,
    schema: (kind) => drawn.get(kind)?.schema ?? schemaOf(kind),
  }
}

/**
 * The source of what is known of an operation, for the platform that a preset speaks to: the document that the preset follows
 * (`spec`: the specification; `public`: the public documentation), the operator's word in `config`, or a `guess`, also where
 * the other platform's document shows it.
 */
type Source = 'spec' | 'public' | 'config' | 'guess'

export interface Known {
  /** The source of its method and path. */
  call: Source
  /** The source of its answer. */
  answer: Source
  /** The line of the specification that shows it; null: none does. */
  line: number | null
}

/** How much a document shows of an operation. */
type Shows = 'nothing' | 'call' | 'answer too'

/** The parts of each operation that the specification shows, and in which line, and those that the public documentation shows. */
const SHOWN = {
  'stores.list': [401, 'answer too', 'answer too'],
  'webhooks.list': [null, 'nothing', 'answer too'],
  'webhooks.create': [447, 'call', 'call'],
  'webhooks.update': [null, 'nothing', 'call'],
  'webhooks.delete': [null, 'nothing', 'call'],
  'webhooks.types': [448, 'answer too', 'answer too'],
  'webhooks.schema': [449, 'answer too', 'answer too'],
  'events.list': [450, 'answer too', 'answer too'],
  'events.get': [null, 'nothing', 'answer too'],
  'events.resend': [null, 'nothing', 'answer too'],
  'products.save': [374, 'call', 'answer too'],
  'products.update': [375, 'call', 'answer too'],
  'products.byExtId': [null, 'nothing', 'answer too'],
  'products.byGtin': [null, 'nothing', 'call'],
  'products.search': [null, 'nothing', 'answer too'],
  'products.count': [null, 'nothing', 'answer too'],
  'products.bulkInsert': [null, 'nothing', 'answer too'],
  'products.bulkUpsert': [null, 'nothing', 'answer too'],
  'prices.saveList': [394, 'call', 'answer too'],
  'prices.lists': [null, 'nothing', 'answer too'],
  'prices.saveCosts': [395, 'call', 'call'],
  'stock.adjust': [414, 'call', 'answer too'],
  'stock.levels': [415, 'answer too', 'answer too'],
  'deliveries.create': [407, 'call', 'answer too'],
  'deliveries.list': [408, 'answer too', 'nothing'],
  'salesLines.list': [429, 'answer too', 'answer too'],
  'stockMovements.list': [416, 'answer too', 'answer too'],
  'stockStatus.list': [null, 'nothing', 'answer too'],
  'settlements.list': [428, 'answer too', 'answer too'],
  'sales.import': [430, 'call', 'answer too'],
  'customers.obtain': [431, 'answer too', 'answer too'],
  'customers.search': [null, 'nothing', 'answer too'],
  'customers.count': [null, 'nothing', 'answer too'],
  'orders.create': [439, 'call', 'answer too'],
  'orders.update': [null, 'nothing', 'answer too'],
  'orders.read': [null, 'nothing', 'answer too'],
  'orders.delete': [null, 'nothing', 'answer too'],
  'orders.list': [null, 'nothing', 'answer too'],
  'products.delete': [null, 'nothing', 'call'],
  'products.deleteGtins': [null, 'nothing', 'call'],
  'products.deleteGtin': [null, 'nothing', 'call'],
  'products.deleteGtinByExtId': [null, 'nothing', 'call'],
  'listedPrices.read': [null, 'nothing', 'answer too'],
  'listedPrices.delete': [null, 'nothing', 'call'],
  'listedPrices.byGtin': [null, 'nothing', 'answer too'],
  'costs.ofStock': [null, 'nothing', 'answer too'],
  'costs.ofStockExtId': [null, 'nothing', 'answer too'],
  'stocks.list': [null, 'nothing', 'answer too'],
  'stocks.settings': [null, 'nothing', 'answer too'],
  'counts.list': [null, 'nothing', 'answer too'],
  'counts.read': [null, 'nothing', 'answer too'],
  'corrections.create': [null, 'nothing', 'call'],
  'transfers.create': [null, 'nothing', 'answer too'],
  'reservations.create': [null, 'nothing', 'answer too'],
  'reservations.list': [null, 'nothing', 'answer too'],
  'reservations.change': [null, 'nothing', 'answer too'],
  'reservations.release': [null, 'nothing', 'answer too'],
  'freight.read': [null, 'nothing', 'answer too'],
  'aggregates.list': [null, 'nothing', 'answer too'],
  'customers.delete': [null, 'nothing', 'call'],
} as const satisfies Record<string, readonly [number | null, spec: Shows, public_: Shows]>

/** How well an operation is known where a document is followed. */
export function knownFrom(operation: keyof typeof SHOWN, document: 'spec' | 'public'): Known {
  const [line, ofSpec, ofPublic] = SHOWN[operation]
  const shows: Shows = document === 'spec' ? ofSpec : ofPublic
  return {
    call: shows === 'nothing' ? 'guess' : document,
    answer: shows === 'answer too' ? document : 'guess',
    line,
  }
}

import { emailOf, gtinOf, orderNo, receiptNo } from './events.ts'

/** A question of a person or a machine, as it goes over HTTP. */
export interface Question {
  name: string
  path: string
  /** With which token; not given: the operator's. */
  as?: 'pos' | 'system'
  post?: object
}

/** Everything that the commands ask a hub of its store, what own systems ask at `/v1`, and what POS look up. */
export function questionsOf(count: number): Question[] {
  const middle = Math.floor(count / 40) * 20
  const day = '2026-11-20'
  const admin = (path: string, name = path): Question => ({ name: `/admin/${name}`, path: `/admin/${path}` })
  const verb = (path: string, filter: object): Question => ({
    name: `/admin/${path} ${JSON.stringify(filter)} dry run`,
    path: `/admin/${path}`,
    post: { filter, dryRun: true },
  })
  return [
    ...['status', 'health', 'late', 'alarms', 'gaps', 'gaps?state=open', 'completeness', 'audit', 'jobs', 'kinds'].map(
      (path) => admin(path),
    ),
    ...['stock/differences', 'products/differences', 'products/unsellable', 'endpoints', 'keys'].map((path) =>
      admin(path),
    ),
    ...EVENT_LISTS.map((query) => admin(`events?${query}`)),
    ...DELIVERY_LISTS.map((query) => admin(`deliveries?${query}`)),
    admin(`events?entity=order:${orderNo(middle)}`, 'events?entity=order:…'),
    admin(`deliveries?entity=order:${orderNo(middle)}`, 'deliveries?entity=order:…'),
    admin(`events?entity=sale:${receiptNo(middle + 1)}`, 'events?entity=sale:…'),
    admin(`events?since=${day}T00:00:00Z&until=${day}T06:00:00Z&kind=SaleCreated`, 'events of six hours'),
    admin('events/1'),
    admin(`events/${middle}`, 'events/…'),
    admin(`deliveries/${middle}`, 'deliveries/…'),
    admin(`orders/${orderNo(middle)}`, 'orders/…'),
    admin(`find?q=${receiptNo(middle + 1)}`, 'find a receipt'),
    admin(`find?q=${receiptNo(count * 2)}`, 'find what is nowhere'),
    admin(`find?q=${orderNo(middle)}`, 'find an order'),
    admin(`find?q=${encodeURIComponent(emailOf(17))}`, 'find an e-mail address'),
    admin('find?q=90000017', 'find a phone'),
    admin('find?q=SKU-17', 'find a SKU'),
    admin(`find?q=${gtinOf(17)}`, 'find a GTIN'),
    admin(`find?q=${gtinOf(99_999)}`, 'find a GTIN of every sale'),
    verb('deliveries/retry', { state: 'dead' }),
    verb('deliveries/retry', { destination: 'crm' }),
    verb('deliveries/skip', { destination: 'crm', kind: 'SaleCreated' }),
    verb('deliveries/release', { state: 'held' }),
    verb('events/dismiss', { state: 'unrouted' }),
    verb('events/dismiss', { kind: 'OrderSubmitted' }),
    { name: '/metrics', path: '/metrics', as: 'system' },
    { name: '/v1/submissions/…', path: `/v1/submissions/${Math.floor(count / 40)}`, as: 'system' },
    { name: '/v1/completeness', path: '/v1/completeness', as: 'system' },
    { name: 'lookup by phone', path: '/api/customers/search?query=90000017', as: 'pos' },
    { name: 'lookup by e-mail', path: `/api/customers/search?query=${encodeURIComponent(emailOf(17))}`, as: 'pos' },
  ]
}

const EVENT_LISTS = [
  ...['', 'kind=SaleCreated', 'kind=OrderSubmitted', 'kind=SettlementCreated', 'state=unrouted', 'state=quarantined'],
  ...['state=unrouted&dismissed=false', 'conflict=true', 'reusedKey=true', 'dismissed=true', 'since=1h', 'until=300d'],
]

const DELIVERY_LISTS = [
  ...['', 'state=dead', 'state=held', 'state=waiting', 'state=delivered', 'state=skipped', 'state=superseded'],
  ...[
    'destination=crm',
    'destination=crm&state=dead',
    'destination=nobody',
    'flow=submit-order',
    'kind=OrderSubmitted',
  ],
]

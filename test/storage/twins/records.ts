import { type FindingChange, unsellableKey } from '../../../src/domain/catalogue/finding.ts'
import { MIRROR_SETS, type MirrorChange, type MirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import { CAUSES, type GapChange, gapKey, type SeenGap } from '../../../src/domain/completeness/gap.ts'
import { type CustomerRecord, UNKNOWN_CUSTOMER } from '../../../src/domain/customers/customer-record.ts'
import type { StoreRecord } from '../../../src/domain/stores/store-index.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { by, HOUR, MINUTE } from '../acting.ts'
import { pass } from './claiming.ts'
import { type Act, sorted, type Twin } from './twin.ts'
import type { World } from './world.ts'

/* What stores keep besides events and deliveries: customers, the mirror, reconciliation, stores, the memory of jobs. */

const MAX = 1_000
const EMAILS = ['kari@example.com', 'ola@example.com', 'KARI@example.com'] as const
const PHONES = ['+4791234567', '+4791234568', '+46701234567'] as const
const SETS = [MIRROR_SETS[0], MIRROR_SETS[4], MIRROR_SETS[5]] as const
const DAYS = ['', '2026-11-19', '2026-11-20', '2026-11-21'] as const
const JOBS = ['sales', 'stock'] as const
const PLACES = ['12', '13', null] as const

/** The next act of chance upon records. `most`: so many rows of the mirror are changed at once. */
export function drawRecords(world: World, most: number): Act {
  const some = (its: World) => mirror(its, most)
  return world.choose([
    customers,
    customers,
    some,
    some,
    gaps,
    gaps,
    ranges,
    explain,
    jobs,
    jobs,
    places,
    uses,
    findings,
    apiKeys,
    ({ choose }: World) => pass(choose([1, MINUTE, HOUR])),
  ])(world)
}

export async function lookAtRecords({ the: { storage } }: Twin) {
  const page = await storage.customersPage(0, MAX)
  const asked = [
    ...EMAILS.map((email) => ({ type: 'email' as const, email: email.toLowerCase() })),
    ...PHONES.map((phone) => ({ type: 'phone' as const, numbers: [phone], typed: phone.slice(1) })),
  ]
  const sets = await Promise.all(SETS.map((set) => storage.mirrorPage({ set }, null, MAX)))
  const some = await Promise.all([
    storage.mirrorPage({ set: SETS[0], place: '12' }, null, MAX),
    storage.mirrorPage({ set: SETS[1], from: DAYS[1], to: DAYS[2] }, null, 2),
    storage.mirrorPage({ set: SETS[2], part: 'p1' }, null, MAX),
  ])
  return {
    customers: page.map(withoutId),
    count: await storage.customerCount(),
    found: await Promise.all(asked.map((one) => storage.findCustomers(one))),
    mirror: [...sets, ...some].map((rows) => rows.map(withoutId)),
    gaps: (await storage.gaps({}, 0, MAX)).map(withoutId),
    ofStore: (await storage.gaps({ storeId: '12', state: 'open' }, 0, MAX)).map(withoutId),
    oldest: inOrder(await storage.oldestGaps('log')),
    counts: inOrder(await storage.gapCounts(Date.parse('2026-11-20T15:00:00Z'))),
    covered: await Promise.all(JOBS.map((scope) => storage.covered('log', scope))),
    watermarks: inOrder(await storage.watermarks()),
    jobs: inOrder(await storage.jobs()),
    runs: await Promise.all(JOBS.map((name) => storage.jobRuns(name, 20))),
    stores: await storage.stores(),
    uses: await storage.endpointUses(),
    former: await storage.formerPlaces(),
    unsellable: (await storage.findings({ sort: 'unsellable' }, null, MAX)).map(withoutId),
    ofList: (await storage.findings({ sort: 'unsellable', topic: 'NO' }, null, 2)).map(withoutId),
    kinds: (await storage.findings({ sort: 'kind-acknowledged' }, null, MAX)).map(withoutId),
    keys: inOrder(await storage.apiKeys()),
    key: await storage.apiKey('key1'),
    acts: (await storage.acts({ limit: MAX })).map(withoutId),
  }
}

function withoutId<T extends { id: number }>({ id: _, ...more }: T): Omit<T, 'id'> {
  return more
}

function inOrder<T>(rows: readonly T[]): T[] {
  return sorted(rows, (row) => JSON.stringify(row))
}

function customers({ choose, may, below }: World): Act {
  const records = Array.from(
    { length: 1 + below(3) },
    (): CustomerRecord => ({
      ...UNKNOWN_CUSTOMER,
      customerId: may(0.5) ? `c${below(4)}` : null,
      extId: may(0.4) ? `erp:${below(4)}` : null,
      email: may(0.5) ? choose(EMAILS) : null,
      phone: may(0.5) ? choose(PHONES) : null,
      firstName: may(0.7) ? choose(['Kari', 'Ola', 'Åse']) : null,
      city: may(0.3) ? choose(['Oslo', 'Bergen']) : null,
      address: may(0.2) ? 'Storgata 1' : null,
    }),
  )
  const save = choose(['saveCustomers', 'saveCustomers', 'rememberCustomers'] as const)
  const dropped = `c${below(4)}`
  if (may(0.2)) return { name: `drop ${dropped}`, on: ({ the: { storage } }) => storage.dropCustomer(dropped) }
  return {
    name: `${save} ${JSON.stringify(records)}`,
    on: ({ the: { storage, clock } }) => storage[save](records, clock.now()),
  }
}

const LISTS = ['NO', 'SE'] as const

/** Products that a list lacks, and when somebody looked at a kind: of the latter, the later one stays. */
function findings({ choose, may, below }: World): Act {
  const changes = Array.from({ length: 1 + below(4) }, (): FindingChange => {
    const says = { list: choose(LISTS), productId: `p${below(3)}`, since: below(3) * 1_000 }
    const [kind, at] = [choose(['SaleCreated', 'StockMoved']), below(4)]
    if (may(0.3)) return { type: 'drop', sort: 'unsellable', key: unsellableKey(says.list, says.productId) }
    if (may(0.5)) return { type: 'keep', finding: { sort: 'unsellable', says } }
    return { type: 'keep', finding: { sort: 'kind-acknowledged', says: { kind, at, by: 'kari', reason: null } } }
  })
  const keys = LISTS.map((list) => unsellableKey(list, 'p1'))
  return {
    name: `findings ${JSON.stringify(changes)}`,
    async on({ the: { storage } }) {
      await storage.saveFindings(changes)
      return [...(await storage.findingKeys('unsellable', keys))].sort()
    },
  }
}

/** A key of an own system is made, used or revoked; one that is taken is refused. */
function apiKeys({ choose, below }: World): Act {
  const id = `key${below(4)}`
  const does = choose(['make', 'use', 'revoke'] as const)
  return {
    name: `${does} ${id}`,
    async on({ the: { storage, clock } }) {
      const now = clock.now()
      if (does === 'use') return await storage.apiKeyUsed(id, now)
      if (does === 'revoke') return await storage.revokeApiKey(id, 'kari', now)
      const made = { createdAt: now, createdBy: 'kari', lastUsedAt: null, revokedAt: null, secretHash: `h${now}` }
      const key = { id, system: 'erp', scopes: ['orders' as const], ...made }
      return await storage.createApiKey(key).then(nothing, () => 'refused')
    },
  }
}

function mirror(world: World, most: number): Act {
  const { choose, may, below } = world
  const changes = Array.from({ length: 1 + below(most) }, (): MirrorChange => {
    const set = choose(SETS)
    if (may(0.6)) return { type: 'put', row: mirrorRow(world, set, may(0.3) ? `p${below(3)}` : null) }
    const part = `p${below(3)}`
    return { type: 'replace', set, part, rows: Array.from({ length: below(3) }, () => mirrorRow(world, set, part)) }
  })
  const keys = Array.from({ length: 4 }, (_, n) => `k${n}`)
  return {
    name: `mirror ${JSON.stringify(changes)}`,
    async on({ the: { storage, clock } }) {
      await storage.saveMirror(changes, clock.now())
      return inOrder((await storage.mirrorRows(SETS[0], keys)).map(withoutId))
    },
  }
}

function mirrorRow({ choose, below }: World, set: MirrorRow['set'], part: string | null): MirrorRow {
  return {
    ...{ set, part, key: `k${below(6)}`, place: choose(PLACES), article: choose(['A', 'B', null]), day: choose(DAYS) },
    ...{ version: below(4), tie: below(2), body: { level: parseDecimal(String(below(3))), text: `ø${below(3)}` } },
  }
}

function seenGap({ choose, below }: World): SeenGap {
  const cause = choose(['failed', 'claimed', 'missing', 'z-missing', 'not-there'] as const)
  return {
    ...{
      source: CAUSES[cause].source,
      cause,
      kind: choose(['SaleCreated', 'StockMoved', null]),
      storeId: choose(PLACES),
    },
    ...{ destination: choose(['shop', null]), day: choose([null, '2026-11-20']), subject: `s${below(4)}` },
    at: Date.parse('2026-11-20T10:00:00Z') + below(5) * HOUR,
    evidence: choose([{}, { log: { status: below(3) } }, { lists: { pulled: true } }]),
  }
}

function gaps(world: World): Act {
  const { choose, below } = world
  const changes = Array.from({ length: 1 + below(4) }, (): GapChange => {
    const gap = seenGap(world)
    const type = choose(['see', 'see', 'repair'] as const)
    return type === 'repair' ? { type, key: gapKey(gap), reason: 'it has come' } : { type, gap }
  })
  return {
    name: `gaps ${JSON.stringify(changes)}`,
    on: ({ the: { storage, clock } }) => storage.saveReconciliation({ gaps: changes }, clock.now()),
  }
}

function ranges({ choose, may, below }: World): Act {
  const start = Date.parse('2026-11-20T00:00:00Z')
  const covered = Array.from({ length: below(4) }, () => {
    const from = start + below(20) * HOUR
    return { source: 'log' as const, scope: choose(JOBS), from, to: from + below(4) * HOUR }
  })
  const mark = { level: choose(['log', 'lists'] as const), kind: choose(['SaleCreated', 'StockMoved']) }
  const place = { ...mark, storeId: choose(PLACES) }
  const until = start + below(20) * HOUR
  const put = { type: 'put' as const, watermark: { ...place, from: start, until, since: until } }
  const watermarks = [may(0.7) ? put : { type: 'drop' as const, ...place }]
  return {
    name: `ranges ${JSON.stringify({ covered, watermarks })}`,
    on: ({ the: { storage, clock } }) => storage.saveReconciliation({ covered, watermarks }, clock.now()),
  }
}

function explain({ choose, may }: World): Act {
  const filter = choose([
    { storeId: '12' },
    { cause: 'failed' as const },
    { state: 'open' as const, kind: 'SaleCreated' },
  ])
  const dryRun = may(0.2)
  return {
    name: `explain ${JSON.stringify(filter)} ${dryRun}`,
    async on({ the: { storage, clock } }) {
      const { matched, changed, sample } = await storage.explainGaps(filter, by(clock.now(), dryRun))
      return { matched, changed, sample: inOrder(sample.map(withoutId)) }
    },
  }
}

/** A run begins, is renewed, leaves state and ends, or some of that; whoever comes too late is refused. */
function jobs({ choose, may }: World): Act {
  const name = choose(JOBS)
  const steps = { renews: may(0.5), saves: may(0.5), ends: may(0.7), fails: may(0.3), late: may(0.2) }
  const onlyAfter = may(0.3)
  return {
    name: `job ${name} ${JSON.stringify(steps)} ${onlyAfter}`,
    async on({ the: { storage, clock } }) {
      const lease = { now: clock.now(), lease: MINUTE }
      const after = onlyAfter
        ? ((await storage.jobs()).find((row) => row.name === name)?.lastStartedAt ?? null)
        : undefined
      const claim = await storage.beginJob(name, { ...lease, ...(after !== undefined && { after }) })
      if (!claim) return null
      const { fence, row } = claim
      if (steps.late) await clock.pass(2 * MINUTE)
      const renewed = steps.renews ? await storage.renewJob(name, fence, { ...lease, now: clock.now() }) : null
      const saved = steps.saves ? await storage.saveJob(name, fence, '{"at":1}').then(nothing, nameOfError) : null
      const end = { at: clock.now(), ...(steps.fails ? { problem: 'it failed' } : { note: 'done', state: '{"at":2}' }) }
      const ended = steps.ends ? await storage.endJob(name, fence, end).catch(nameOfError) : null
      const again = steps.ends ? await storage.endJob(name, fence, end).catch(nameOfError) : null
      return { row, renewed, saved, ended, again }
    },
  }
}

const nothing = () => null
const nameOfError = ({ name }: Error) => name

function places({ choose, may, below }: World): Act {
  const records = ['1', '2', '3'].flatMap((storeId): StoreRecord[] =>
    may(0.7)
      ? [
          {
            ...{ storeId, number: choose(PLACES), name: choose(['Oslo', null]), stockId: `${below(3)}` },
            ...{ countryCode: choose(['NO', null]), currency: 'NOK', zone: choose(['Europe/Oslo', null]) },
          },
        ]
      : [],
  )
  return {
    name: `stores ${JSON.stringify(records)}`,
    on: ({ the: { storage, clock } }) => storage.saveStores(records, clock.now()),
  }
}

function uses({ choose }: World): Act {
  const use = {
    operation: choose(['orders.read', 'stock.read']),
    address: choose(['GET https://a.example/x', 'GET https://b.example/x']),
    came: choose(['worked', 'nothing', 'http-404']),
  }
  return {
    name: `use ${JSON.stringify(use)}`,
    on: ({ the: { storage, clock } }) => storage.noteEndpointUse(use, clock.now()),
  }
}

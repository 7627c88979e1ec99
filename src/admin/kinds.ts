import { Router } from 'express'
import type { KindAcknowledged } from '../domain/catalogue/finding.ts'
import type { Clock } from '../lib/clock.ts'
import { suggest } from '../lib/suggest.ts'
import { SHAPES } from '../payloads/known/kinds.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import { type KindReport, kindReport, type SchemaVersion } from '../payloads/schema/versions.ts'
import { UNREAD } from '../payloads/unread.ts'
import type { Store } from '../store/store.ts'
import type { Acts } from './acts.ts'
import { notFound, operatorOf } from './asking.ts'
import { parse, Told } from './filters.ts'

interface Options {
  store: Pick<Store, 'deliveries' | 'events' | 'saveFindings'>
  /** Where config says that fields of payloads stand. */
  mappings: Mappings
  /** The platform's schemas that are kept, by kind, the newest last. */
  schemas: () => Promise<Readonly<Record<string, readonly SchemaVersion[]>>>
  /** What operators have acknowledged, by kind. */
  acknowledged: () => Promise<ReadonlyMap<string, KindAcknowledged>>
  acts: Acts
  clock: Pick<Clock, 'now'>
}

/** A kind as it is known, and what waits because that is not enough. */
export interface KindStanding extends KindReport {
  /** Deliveries held because a field cannot be read. */
  held: number
  /** Events that nothing can be done about, since what tells them apart cannot be read. */
  quarantined: number
  /** Who said last that what had changed is in order; null: nobody did. */
  acknowledged: KindAcknowledged | null
}

/** The most held deliveries, and quarantined events, that are counted. */
const MAX_COUNTED = 2_000
const PAGE = 500

/** `/admin/kinds`: where the fields of each kind are known from, what the platform's schemas say, and what is held. */
export function createKindsAdmin({ store, mappings, schemas, acknowledged, acts, clock }: Options): Router {
  const router = Router()

  router.get('/', async (_, response) => {
    response.json({ kinds: await standings(Object.keys(SHAPES)) })
  })

  router.get('/:kind', async (request, response) => {
    const { kind } = request.params
    const [found] = await standings([kind])
    if (found) return void response.json(found)
    notFound(response, `The hub reads no kind "${kind}". ${hintOf(kind)}`)
  })

  router.post<{ kind: string }>('/:kind/acknowledge', acts.of('acknowledge-kind'), async (request, response) => {
    const { kind } = request.params
    const { reason } = parse(Told, request.body ?? {})
    if (!Object.hasOwn(SHAPES, kind))
      return void notFound(response, `Nothing is known of the kind "${kind}". ${hintOf(kind)}`)
    const said: KindAcknowledged = { kind, at: clock.now(), by: operatorOf(request), reason }
    await store.saveFindings([{ type: 'keep', finding: { sort: 'kind-acknowledged', says: said } }])
    await acts.note(request, { action: 'acknowledge-kind', selection: { kind }, reason, changed: 1 })
    response.json(said)
  })

  return router

  async function standings(kinds: readonly string[]): Promise<KindStanding[]> {
    const kept = await schemas()
    const reports = kinds.flatMap((kind) => kindReport(kind, kept[kind] ?? [], mappings) ?? [])
    if (reports.length === 0) return []
    const [held, quarantined] = [await heldKinds(), await quarantinedKinds()]
    const said = await acknowledged()
    return reports.map((report) => ({
      ...report,
      held: held.filter((kind) => kind === report.kind).length,
      quarantined: quarantined.filter((kind) => kind === report.kind).length,
      acknowledged: said.get(report.kind) ?? null,
    }))
  }

  async function heldKinds(): Promise<string[]> {
    const rows = await pages((before) => store.deliveries({ state: 'held', limit: PAGE, ...before }))
    return rows.filter(({ code }) => code === UNREAD).map(({ kind }) => kind)
  }

  async function quarantinedKinds(): Promise<string[]> {
    const rows = await pages((before) =>
      store.events({ state: 'quarantined', dismissed: false, limit: PAGE, ...before }),
    )
    return rows.map(({ kind }) => kind)
  }
}

async function pages<Row extends { id: number }>(
  read: (before: { before?: number }) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  while (rows.length < MAX_COUNTED) {
    const last = rows.at(-1)
    const page = await read(last ? { before: last.id } : {})
    rows.push(...page)
    if (page.length < PAGE) break
  }
  return rows
}

function hintOf(kind: string): string {
  const near = suggest(kind, Object.keys(SHAPES))
  return near === null ? '"tillbridge kinds" lists those that it reads.' : `Did you mean "${near}"?`
}

import { Router } from 'express'
import { suggest } from '../lib/suggest.ts'
import { SHAPES } from '../payloads/known/kinds.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import { type KindReport, kindReport } from '../payloads/schema/kind-report.ts'
import type { SchemaVersion } from '../payloads/schema/versions.ts'
import { UNREAD } from '../payloads/unread.ts'
import type { Store } from '../store/store.ts'
import { notFound } from './asking.ts'

interface Options {
  store: Pick<Store, 'deliveries' | 'events'>
  /** Where config says that fields of payloads stand. */
  mappings: Mappings
  /** The platform's schemas that are kept, by kind, the newest last. */
  schemas: () => Promise<Readonly<Record<string, readonly SchemaVersion[]>>>
}

/** A kind as it is known, and what waits because that is not enough. */
export interface KindStanding extends KindReport {
  /** Deliveries held because a field cannot be read. */
  held: number
  /** Events that nothing can be done about, since what tells them apart cannot be read. */
  quarantined: number
}

/** The most held deliveries, and quarantined events, that are counted. */
const MAX_COUNTED = 2_000
const PAGE = 500

/** `/admin/kinds`: where the fields of each kind are known from, what the platform's schemas say, and what is held. */
export function createKindsAdmin({ store, mappings, schemas }: Options): Router {
  const router = Router()

  router.get('/', async (_, response) => {
    response.json({ kinds: await standings(Object.keys(SHAPES)) })
  })

  router.get('/:kind', async (request, response) => {
    const { kind } = request.params
    const [found] = await standings([kind])
    if (found) return void response.json(found)
    const near = suggest(kind, Object.keys(SHAPES))
    notFound(response, `The hub reads no kind "${kind}".${near === null ? '' : ` Did you mean "${near}"?`}`)
  })

  return router

  async function standings(kinds: readonly string[]): Promise<KindStanding[]> {
    const kept = await schemas()
    const reports = kinds.flatMap((kind) => kindReport(kind, kept[kind] ?? [], mappings) ?? [])
    if (reports.length === 0) return []
    const [held, quarantined] = [await heldKinds(), await quarantinedKinds()]
    return reports.map((report) => ({
      ...report,
      held: held.filter((kind) => kind === report.kind).length,
      quarantined: quarantined.filter((kind) => kind === report.kind).length,
    }))
  }

  async function heldKinds(): Promise<string[]> {
    const rows = await pages((before) => store.deliveries({ state: 'held', limit: PAGE, ...before }))
    return rows.filter(({ code }) => code === UNREAD).map(({ kind }) => kind)
  }

  async function quarantinedKinds(): Promise<string[]> {
    const rows = await pages((before) => store.events({ state: 'quarantined', limit: PAGE, ...before }))
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

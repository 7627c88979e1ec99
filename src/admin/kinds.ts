import type { KindAcknowledged } from '../domain/catalogue/finding.ts'
import { SHAPES } from '../platform/payloads/known/kinds.ts'
import { type KindReport, kindReport } from '../platform/payloads/schema/versions.ts'
import { UNREAD } from '../platform/payloads/unread.ts'
import { didYouMean, Why } from './asked.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, notFound, post, type Route } from './routes.ts'

export interface KindState extends KindReport {
  /** Deliveries held for an unreadable field. */
  held: number
  /** Events without a business key. */
  quarantined: number
  acknowledged: KindAcknowledged | null
}

const MAX_COUNTED = 2_000
const PAGE = 500

export function kindRoutes({ storage, planning, schemas, acknowledgedKinds, clock }: AdminContext): Route[] {
  async function statesOf(kinds: readonly string[]): Promise<KindState[]> {
    const kept = await schemas()
    const reports = kinds.flatMap((kind) => kindReport(kind, kept[kind] ?? [], planning.mappings) ?? [])
    if (reports.length === 0) return []
    const held = await kindsOf(async (before) => {
      const rows = await storage.deliveries({ state: 'held', limit: PAGE, ...before })
      return rows.map((row) => ({ ...row, counts: row.code === UNREAD }))
    })
    const quarantined = await kindsOf(async (before) => {
      const rows = await storage.events({ state: 'quarantined', dismissed: false, limit: PAGE, ...before })
      return rows.map((row) => ({ ...row, counts: true }))
    })
    const said = await acknowledgedKinds()
    return reports.map((report) => ({
      ...report,
      held: held.get(report.kind)?.length ?? 0,
      quarantined: quarantined.get(report.kind)?.length ?? 0,
      acknowledged: said.get(report.kind) ?? null,
    }))
  }

  return [
    get('/kinds', NOTHING, async () => ({ kinds: await statesOf(Object.keys(SHAPES)) })),

    get('/kinds/:kind', NOTHING, async ({ params: { kind = '' } }) => {
      const [found] = await statesOf([kind])
      if (!found) throw notFound(`The hub reads no kind "${kind}". ${didYouMean(kind, Object.keys(SHAPES), 'Kinds')}`)
      return found
    }),

    post('/kinds/:kind/acknowledge', 'acknowledge-kind', Why, async ({ params, asked: { reason }, note, operator }) => {
      const { kind = '' } = params
      if (!Object.hasOwn(SHAPES, kind))
        throw notFound(`Nothing is known of the kind "${kind}". ${didYouMean(kind, Object.keys(SHAPES), 'Kinds')}`)
      const said: KindAcknowledged = { kind, at: clock.now(), by: operator, reason }
      await storage.saveFindings([{ type: 'keep', finding: { sort: 'kind-acknowledged', says: said } }])
      await note({ selection: { kind }, reason, changed: 1 })
      return said
    }),
  ]
}

interface Counted {
  id: number
  kind: string
  counts: boolean
}

async function kindsOf(read: (before: { before?: number }) => Promise<Counted[]>): Promise<Map<string, Counted[]>> {
  const rows: Counted[] = []
  while (rows.length < MAX_COUNTED) {
    const last = rows.at(-1)
    const page = await read(last ? { before: last.id } : {})
    rows.push(...page)
    if (page.length < PAGE) break
  }
  return Map.groupBy(
    rows.filter(({ counts }) => counts),
    ({ kind }) => kind,
  )
}

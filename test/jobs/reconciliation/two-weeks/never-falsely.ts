import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Watermark } from '../../../../src/domain/completeness/watermark.ts'
import type { WorldAtSpeed } from './world-at-speed.ts'

/** How many deeds the POS' own book had at an instant. */
export interface Step {
  at: number
  entries: number
}

/** The sales that the hub lacks, and of which it says that none is missing until later than they were. */
export async function toldFalsely({ platform, hub, folder }: WorldAtSpeed, steps: readonly Step[]): Promise<string[]> {
  const { watermarks } = await hub.admin<{ watermarks: Watermark[] }>('completeness')
  const ofSales = watermarks.filter(({ kind, level }) => kind === 'SaleCreated' && level !== 'pos')
  const here = salesIn(join(folder, 'tillbridge.db'))
  return ofSales.flatMap(({ level, until, storeId }) => {
    // What holds for every store holds for none that has a watermark of its own.
    const own = ofSales.flatMap((one) => (one.level === level && one.storeId !== null ? one.storeId : []))
    const isOf = (store: string) => (storeId === null ? !own.includes(store) : storeId === store)
    const reported = steps.findLast(({ at }) => at < until)?.entries ?? 0
    const sales = platform.posLog().slice(0, reported)
    return sales.flatMap(({ what, storeNo, posId, receiptNo }) => {
      const sale = `${storeNo}/${posId}/${receiptNo}`
      return what !== 'sale' || here.has(sale) || !isOf(storeOf(posId))
        ? []
        : [`${level} ${new Date(until).toISOString()}: ${sale}`]
    })
  })
}

/** Sales that the hub has, by store, POS and receipt; read beside it. */
function salesIn(file: string): Set<string> {
  const db = new Database(file, { readonly: true })
  const all = db.prepare<[], string>("select identity from events where kind = 'SaleCreated'").pluck().all()
  db.close()
  return new Set(all.map((identity) => identity.split('/').slice(0, 3).join('/')))
}

/** The platform's id of the store of a POS. */
function storeOf(posId: number | null): string {
  return String(Math.floor((posId ?? 0) / 10))
}

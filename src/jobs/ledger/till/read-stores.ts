import type { Instant } from '../../../domain/values/instant.ts'
import { emptyStore, type ReadTools, readReports, type TillStore } from './read-tills.ts'
import { broughtHome, type TillState, tillKey, tillsSince } from './till-state.ts'
import { whoseTill } from './whose-till.ts'

/** A till that made no report for so many days is not waited for any more. */
const DAYS_OF_RESTING = 60

const DAY = 86_400_000

interface Since {
  /** The first day whose reports are read. */
  day: string
  now: Instant
}

/** A store, and those of its tills that have made reports before. */
export interface RememberedStore extends TillStore {
  resting: string[]
}

interface ReadStores extends Pick<TillState, 'tills' | 'names'> {
  stores: RememberedStore[]
}

/** The stores whose tills made reports since a day, or lately before it, and what is remembered of them under what they are called now. */
export async function readStores(left: TillState, { day, now }: Since, tools: ReadTools): Promise<ReadStores> {
  const index = tools.storeIndex()
  const whose = whoseTill(index, left)
  const read = await readReports(day, whose, tools)
  const told = new Map(
    read.flatMap(({ storeId, reports }) =>
      reports.map(({ place, posId }) => [tillKey({ home: place, posId }), storeId] as const),
    ),
  )
  const tills = broughtHome(
    left.tills,
    (till) => told.get(tillKey({ home: till.place, posId: till.posId })) ?? whose(till),
  )
  const resting = tillsSince(tills, now - DAYS_OF_RESTING * DAY)
  const homes = new Set(read.map(({ home }) => home))
  const others = [...resting].flatMap(([home, posIds]) => {
    if (homes.has(home)) return []
    const storeId = posIds.map((posId) => tills[tillKey({ home, posId })]?.storeId ?? null)[0] ?? null
    // Stores of several countries may have one number: which of them had this till, nobody knows any more.
    if (storeId === null && read.some(({ names }) => names.includes(home))) return []
    const store = emptyStore(home, storeId, index)
    return [{ ...store, names: [...new Set([...store.names, ...(left.names[home] ?? [])])] }]
  })
  const stores = [...read, ...others]
  const names = stores.flatMap(({ storeId, names }) => (storeId === null ? [] : [[storeId, names]]))
  return {
    stores: stores.map((store) => ({ ...store, resting: resting.get(store.home) ?? [] })),
    tills,
    names: Object.fromEntries(names),
  }
}

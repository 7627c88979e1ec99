import { whyShort } from '../../../domain/ledger/facts/short-list.ts'
import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { PLATFORM } from '../../../domain/queue/event.ts'
import { text } from '../../../domain/values/field.ts'
import { movementIdentity } from '../../../payloads/identity.ts'
import type { StockMovement } from '../../../platform/areas/stock/stock-movements.ts'
import type { OperationName } from '../../../platform/http/endpoints.ts'
import { asideText } from '../../../platform/http/listed.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Store } from '../../../store/store.ts'
import { type MovementColumns, movementPayload } from '../../pulls/movement-payload.ts'
import { standingsOf } from './by-identity.ts'
import { lackedBy } from './lacked.ts'
import type { Places } from './places.ts'
import type { FactRoad, ListedFact } from './road.ts'

interface Options {
  platform: Pick<Platform, 'stockMovements'>
  store: Pick<Store, 'known' | 'mirrorPage'>
  places: Places
  /** Why there is no such list; null: there is. */
  lacks(operation: OperationName): string | null
  columns: { id?: string | undefined; type?: string | undefined }
  mirrored: boolean
}

const KIND = 'StockMovementCreated'

/** Stock movements, as odata Stockmovements tells of them: each has an id of its own. */
export function movementsRoad({ platform, store, places, columns: { id, type }, mirrored, lacks }: Options): FactRoad {
  const columns: MovementColumns = { id: id ?? '', type }
  return {
    kind: KIND,
    list: 'odata Stockmovements',
    cannotTell: lacks('stockMovements.list') ?? (id === undefined ? 'pulls.movementColumns.id is not given' : null),
    learns: true,
    voids: false,
    async read(day, bound, signal) {
      const select = [columns.id, ...(type === undefined ? [] : [type])]
      const facts: ListedFact[] = []
      let why: string | null = null
      for await (const { rows, aside } of platform.stockMovements.list({ from: day, to: day, select }, signal)) {
        why ??= asideText(aside)
        for (const row of rows) {
          if (!row.movedAt.startsWith(day)) continue
          const fact = factOf(row, day)
          if (fact === null) why ??= 'a movement has no id'
          else facts.push(fact)
        }
      }
      if (mirrored && why === null) {
        const keys = new Set(facts.map(({ says }) => String(says.movementId)))
        const zonesOf = (row: { place: string | null }) => places.ofStock(row.place ?? '').zones
        const { told, lacked } = await lackedBy(keys, {
          store,
          set: 'movements',
          day,
          bound,
          time: 'at',
          zonesOf,
          signal,
        })
        why = whyShort(told, lacked, { listed: facts.length, voids: false })
      }
      return { facts, rows: facts.length, why }
    },
    standings: (facts, lag) => standingsOf([KIND], facts, lag, store),
  }

  function factOf(row: StockMovement, day: string): ListedFact | null {
    const payload = movementPayload(row, columns)
    const identity = payload && movementIdentity(payload, PLATFORM)
    if (payload === null || identity === null) return null
    const { store: place, storeIds, zones } = places.ofStock(row.stockId)
    return {
      subject: identity.key,
      storeId: place?.storeId ?? null,
      mayBeOf: storeIds,
      day,
      ...instantsOf(row.movedAt, zones),
      says: { movementId: text(row.record, columns.id), stockId: row.stockId, gtin: row.gtin, quantity: row.quantity },
      lacks: null,
      payload,
    }
  }
}

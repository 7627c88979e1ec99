import { instantsOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { PLATFORM } from '../../../domain/queue/event.ts'
import { text } from '../../../domain/values/field.ts'
import { movementIdentity } from '../../../payloads/identity.ts'
import type { StockMovement } from '../../../platform/areas/sales/sales.ts'
import { asideText } from '../../../platform/http/read.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type MovementColumns, movementPayload } from '../../pulls/stock-movements.ts'
import { type FactList, heldAgainst, hereBySubject, type ListedFact, type ListOptions, UNRECOGNISED } from './list.ts'

interface Options extends ListOptions {
  platform: Pick<Platform, 'stockMovements'>
  columns: { id?: string | undefined; type?: string | undefined }
}

const KIND = 'StockMovementCreated'

export function movementsList({ platform, store, places, columns: { id, type }, mirrored, lacks }: Options): FactList {
  const columns: MovementColumns = { id: id ?? '', type }
  return {
    kind: KIND,
    list: 'odata Stockmovements',
    cannotTell: lacks('stockMovements.list') ?? (id === undefined ? 'pulls.movementColumns.id is not given' : null),
    voids: false,
    async read(day, bound, signal) {
      const facts: ListedFact[] = []
      let why: string | null = null
      const aside = await each(day, signal, (row) => {
        const fact = factOf(row, day)
        if (fact === null) why ??= 'a movement has no id'
        else facts.push(fact)
      })
      const doubt = aside ?? why
      if (!mirrored || doubt !== null) return { facts, rows: facts.length, why: doubt }
      const keys = new Set(facts.map(({ says }) => String(says.movementId)))
      const held = await heldAgainst(facts, {
        ...{ store, set: 'movements', day, bound, time: 'at', amount: 'quantity', voids: false, isNamed: true, signal },
        placeOf: ({ place }) => places.ofStock(place ?? ''),
        isListed: ({ key }) => keys.has(key),
      })
      return { facts: held.why === UNRECOGNISED ? [] : facts, rows: facts.length, ...held }
    },
    async payloads(day, subjects, signal) {
      const made = new Map<string, object>()
      await each(day, signal, (row) => {
        const payload = movementPayload(row, columns)
        const subject = payload && movementIdentity(payload, PLATFORM)?.key
        if (payload !== null && subject != null && subjects.has(subject)) made.set(subject, payload)
      })
      return made
    },
    here: (facts) => hereBySubject(store, KIND, facts),
  }

  async function each(day: string, signal: AbortSignal, take: (row: StockMovement) => void): Promise<string | null> {
    const select = [columns.id, ...(type === undefined ? [] : [type])]
    let why: string | null = null
    for await (const { rows, aside } of platform.stockMovements.list({ from: day, to: day, select }, signal)) {
      why ??= asideText(aside)
      for (const row of rows) if (row.movedAt.startsWith(day)) take(row)
    }
    return why
  }

  function factOf(row: StockMovement, day: string): ListedFact | null {
    const payload = movementPayload(row, columns)
    const identity = payload && movementIdentity(payload, PLATFORM)
    if (identity == null) return null
    const { store: place, storeIds, zones } = places.ofStock(row.stockId)
    return {
      subject: identity.key,
      storeId: place?.storeId ?? null,
      mayBeOf: storeIds,
      day,
      ...instantsOf(row.movedAt, zones),
      amount: row.quantity,
      says: { movementId: text(row.record, columns.id), stockId: row.stockId, gtin: row.gtin, quantity: row.quantity },
      lacks: null,
    }
  }
}

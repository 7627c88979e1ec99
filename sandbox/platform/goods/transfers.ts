import { Refusal } from '../refusal.ts'
import { storeTime } from '../sales/clock.ts'
import type { Emit } from '../sales/emit.ts'
import type { Pos } from '../sales/pos.ts'
import { type Stock, WEB_STOCK } from '../stores.ts'
import type { Article } from './assortment.ts'

/** Goods on their way from one stock to another. */
export interface Transfer {
  transferId: number
  from: Stock
  to: Stock
  lines: readonly { article: Article; quantity: number }[]
  received: boolean
  /** Milliseconds since 1970. */
  createdAt: number
  receivedAt: number | null
  movements: readonly Movement[]
}

type Movement = ReturnType<Pos['move']>

/** Transfers between stocks. What leaves the one is in neither until the other has received it. */
export function createTransfers(move: Pos['move'], now: () => number, emit: Emit) {
  const transfers = new Map<number, Transfer>()

  function tell(what: 'Created' | 'Received', transfer: Transfer): void {
    const virtual = transfer.from === WEB_STOCK || transfer.to === WEB_STOCK ? 'Virtual' : ''
    // Stores at either end may have subscribed for themselves; the one that the goods are with hears of it.
    const place = what === 'Created' ? transfer.from : transfer.to
    emit(`ProductTransfer${virtual}${what}`, payloadOf(transfer), place)
  }

  function moved(transfer: Transfer, place: Stock, sign: 1 | -1): Movement[] {
    return transfer.lines.map(({ article, quantity }) => move(place, article, sign * quantity, 'Relocation'))
  }

  return {
    /** In the order in which they were sent. */
    all: (): Transfer[] => [...transfers.values()],

    /** Takes the goods from a stock. */
    create(from: Stock, to: Stock, lines: Transfer['lines']): Transfer {
      if (from === to) throw new Refusal(400, `${from.StoreName} cannot send goods to itself.`)
      const transferId = 77_001 + transfers.size
      const begun = { transferId, from, to, lines, received: false, createdAt: now(), receivedAt: null, movements: [] }
      const transfer = { ...begun, movements: moved(begun, from, -1) }
      transfers.set(transferId, transfer)
      tell('Created', transfer)
      return transfer
    },

    /** Puts the goods into the other stock, once. */
    receive(transferId: number): Transfer {
      const sent = transfers.get(transferId)
      if (!sent) throw new Refusal(404, `There is no transfer ${transferId}.`)
      if (sent.received) throw new Refusal(409, `Transfer ${transferId} was received already.`)
      const movements = [...sent.movements, ...moved(sent, sent.to, 1)]
      const transfer = { ...sent, received: true, receivedAt: now(), movements }
      transfers.set(transferId, transfer)
      tell('Received', transfer)
      return transfer
    },
  }
}

export type Transfers = ReturnType<typeof createTransfers>

/** Nothing shows the payload of the four kinds: the names are those of the transfer's API, the shape the sandbox's own. */
function payloadOf({ transferId, from, to, lines, received, createdAt, receivedAt, movements }: Transfer) {
  return {
    companyId: 7,
    transferId,
    fromStockId: from.StockId,
    fromStockExtId: from.StoreNo,
    toStockId: to.StockId,
    toStockExtId: to.StoreNo,
    isVirtual: from === WEB_STOCK || to === WEB_STOCK,
    status: received ? 'Received' : 'Sent',
    createdDateTime: storeTime(createdAt, from),
    receivedDateTime: receivedAt === null ? null : storeTime(receivedAt, to),
    products: lines.map(({ article, quantity }) => ({
      gtin: article.gtin,
      sku: article.sku,
      quantity,
      quantityReceived: received ? quantity : 0,
    })),
    stockMovements: movements.map(({ movementId, stockId, gtin, quantity, createdDateTime }) => ({
      movementId,
      stockId,
      gtin,
      quantity,
      createdDateTime,
    })),
  }
}

import { text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import { type Decimal, parseDecimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import type { Listed } from '../../http/listed.ts'
import { orNone } from '../../http/or-none.ts'
import { isRecord, requiredText, UnexpectedAnswer, type WireRecord } from '../../http/read.ts'
import { decimal } from '../../http/read-decimal.ts'
import { readListed } from '../../http/read-rows.ts'
import { given, sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'

/** A gift card as the platform lists it. It names no currency: a card is good in the region of its store. */
interface GiftCard {
  id: string | null
  /** The code printed on the card: whoever knows it can pay with it. */
  token: string
  /** The amount left on the card. */
  balance: Decimal | null
  initial: Decimal | null
  issueSaleId: string | null
  /** Times as written. */
  issued: string | null
  lastUsed: string | null
  record: WireRecord
}

/** An amount that is put on a card (above zero) or taken off it (below). */
interface CardBooking {
  token: string
  amount: string
  comment?: string | undefined
  saleId?: string | undefined
  /** A card belongs to the region of this store. */
  storeId?: string | undefined
}

/** Gift cards. Not in the spec. A token is money, and stands in no error. */
export interface GiftCards {
  /** GET /api/Giftcard/{token}/balance; null: there is none of this token. What is answered is not shown: a number, or a record with one. */
  balance(token: string, signal?: AbortSignal): Promise<Decimal | null>
  /** GET /api/Giftcard of one store. */
  list(query: { storeId: string; activeOnly?: boolean; signal?: AbortSignal | undefined }): Promise<Listed<GiftCard>>
  /**
   * POST /api/Giftcard/{token}. **A token that does not exist becomes a new card**: ask for its balance first. Sent twice it
   * counts twice: an uncertain one must not be sent again.
   */
  book(booking: CardBooking, signal?: AbortSignal): Promise<void>
}

export function createGiftCards(client: Client): GiftCards {
  return {
    async balance(token, signal) {
      const call = { path: { token: sentText(token, 'giftCards.balance: the token') }, secrets: [token], signal }
      return await orNone(client.read('giftCards.balance', call, readBalance), null)
    },

    async list({ storeId, activeOnly = true, signal }) {
      const call = { storeId: sentText(storeId, 'giftCards.list: the storeId'), query: { activeOnly }, signal }
      const listed = await client.read('giftCards.list', call, (answer) => readListed(answer, 'gift card', readCard))
      client.aside('giftCards.list', `store ${call.storeId}`, listed.aside)
      return listed
    },

    async book({ token, amount, comment, saleId, storeId }, signal) {
      const sent = sentDecimal(amount, 'giftCards.book: the amount')
      if (sent === 0) throw unsendable('giftCards.book: the amount', 'is 0.')
      const body = {
        amount: sent,
        ...given({ comment, saleId: saleId === undefined ? undefined : sentId(saleId, 'giftCards.book: the saleId') }),
      }
      const path = { token: sentText(token, 'giftCards.book: the token') }
      const store = storeId === undefined ? {} : { storeId }
      await client.write('giftCards.book', { path, body, ...store, secrets: [token], signal })
    },
  }
}

/** A number, also as text, or a record that holds it under one of these names. */
function readBalance(answer: unknown): Decimal | null {
  if (answer === null || answer === '') return null
  if (!isRecord(answer)) return amountOf(answer)
  for (const name of ['balance', 'amount', 'value']) {
    const found = decimal(answer, name)
    if (found !== null) return found
  }
  throw new UnexpectedAnswer('has no balance')
}

function amountOf(answer: unknown): Decimal {
  try {
    return parseDecimal(answer)
  } catch {
    throw new UnexpectedAnswer('there is no balance')
  }
}

function readCard(record: WireRecord): GiftCard {
  return {
    id: idText(record, 'id'),
    token: requiredText(record, 'token'),
    balance: decimal(record, 'amount'),
    initial: decimal(record, 'initialAmount'),
    issueSaleId: idText(record, 'issueSaleId'),
    issued: text(record, 'issueDate'),
    lastUsed: text(record, 'lastUsedDate'),
    record,
  }
}

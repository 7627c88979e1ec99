import { field, flag, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import { orNone } from '../../http/or-none.ts'
import { isRecord, UnexpectedAnswer, type WireRecord } from '../../http/read.ts'
import { decimal } from '../../http/read-decimal.ts'
import { sentDecimal, sentId, sentText, unsendable } from '../../http/written.ts'

/** A voucher, as far as it tells: what the platform answers is not shown. */
interface Voucher {
  code: string
  /** The amount that the voucher is worth; null: it does not say. */
  amount: Decimal | null
  /** Whether it was redeemed; null: it does not say. */
  redeemed: boolean | null
  /** The time as written. */
  expires: string | null
  record: WireRecord
}

/** Vouchers, each of which is redeemed as a whole, once. Not in the spec. A code is money, and stands in no error. */
export interface Vouchers {
  /** GET /api/Voucher/{code}; null: there is none. */
  read(code: string, signal?: AbortSignal): Promise<Voucher | null>
  /** POST /api/Voucher for a store; gives its code, null where none is answered. An uncertain one must not be sent again. */
  create(voucher: { amount: string; storeId: string }, signal?: AbortSignal): Promise<string | null>
  /** POST /api/Voucher/redeem/{code}. An uncertain one must not be sent again: a second answer tells nothing of the first. */
  redeem(code: string, signal?: AbortSignal): Promise<void>
}

export function createVouchers(client: Client): Vouchers {
  return {
    async read(code, signal) {
      const call = { path: { code: sentText(code, 'vouchers.read: the code') }, secrets: [code], signal }
      return await orNone(
        client.read('vouchers.read', call, (answer) => readVoucher(answer, code)),
        null,
      )
    },

    async create({ amount, storeId }, signal) {
      const sent = sentDecimal(amount, 'vouchers.create: the amount')
      if (sent <= 0) throw unsendable('vouchers.create: the amount', 'must be above 0.')
      const body = { amount: sent, storeId: sentId(storeId, 'vouchers.create: the storeId') }
      const answer = await client.write('vouchers.create', { body, signal })
      return isRecord(answer) ? text(answer, 'code') : text({ code: answer }, 'code')
    },

    async redeem(code, signal) {
      const path = { code: sentText(code, 'vouchers.redeem: the code') }
      await client.write('vouchers.redeem', { path, secrets: [code], signal })
    },
  }
}

function readVoucher(answer: unknown, code: string): Voucher | null {
  const record = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  if (record === null || record === '') return null
  if (!isRecord(record)) throw new UnexpectedAnswer('there is no voucher')
  return {
    code: text(record, 'code') ?? code,
    amount: decimal(record, 'amount') ?? decimal(record, 'value'),
    redeemed: wasRedeemed(record),
    expires: text(record, 'expires') ?? text(record, 'validTo'),
    record,
  }
}

/** A flag, or the time at which it was. */
function wasRedeemed(record: WireRecord): boolean | null {
  for (const name of ['isRedeemed', 'redeemed', 'isUsed', 'used']) {
    const said = flag(record, name)
    if (said !== null) return said
  }
  for (const name of ['redeemed', 'redeemedDate', 'redeemedDateTime', 'usedDate']) {
    const at = field(record, name)
    if (at !== undefined) return at !== null && at !== ''
  }
  return null
}

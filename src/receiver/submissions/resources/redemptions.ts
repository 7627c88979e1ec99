import { z } from 'zod'
import type { Path } from '../../../config/reading/path.ts'
import type { SubmittedRedemption, SubmittedVoucher } from '../../../domain/catalogue/submitted.ts'
import { Decimal } from '../decimal-fields.ts'
import { check, partOf } from '../faults.ts'
import { compact, Key, Name, OptionalId, Text } from '../fields.ts'
import { type Reading, type ReadingContext, type Resource, resourceOf } from './resource.ts'

const reference = Key.describe(
  'What the sender knows it by, such as the payment of an order: the same one is redeemed once.',
)

/** Public facts, POST /api/Giftcard/{token}. */
const Redemption = z.strictObject({
  reference,
  token: Name.describe('What is printed on the card.'),
  redeem: Decimal.refine((amount) => Number(amount) > 0, { error: 'an amount above 0' }).describe(
    'So much is taken off it, in the currency of its region, VAT included.',
  ),
  storeNo: Name.nullish().describe(
    'The number of a store of the region that the card is good in, such as that of the online shop.',
  ),
  storeId: OptionalId.describe("The platform's id of the store, instead of storeNo."),
  comment: Text.nullish().describe('Kept with the booking; without it, the reference.'),
  saleId: OptionalId.describe("The platform's id of the sale that was paid with it."),
})

/** Public facts, POST /api/Voucher/redeem/{code}: as a whole. */
const Voucher = z.strictObject({ reference, code: Name.describe('What is printed on the voucher.') })

export const giftCards: Resource = {
  scope: 'gift-cards',
  objects: [Redemption],
  line: Redemption,
  readObject: (value, context) => [readRedemption(value, context)],
  readLine: readRedemption,
}

export const vouchers: Resource = resourceOf('vouchers', Voucher, isMoney, ({ reference: of, code }) => ({
  kind: 'VoucherSubmitted',
  payload: { reference: of, code } satisfies SubmittedVoucher,
}))

/** The path is to a token or a code, with which anybody can pay: it is never shown back; nor is the whole, where it is not an object. */
function isMoney([first]: Path): boolean {
  return first === undefined || first === 'token' || first === 'code'
}

function readRedemption(value: unknown, { stores }: ReadingContext): Reading {
  const checked = check(Redemption, value, isMoney)
  const names = partOf(Redemption, ['storeNo', 'storeId'], value)
  const store = names && stores.named(names)
  const faults = ['faults' in checked ? checked.faults : [], store && 'faults' in store ? store.faults : []].flat()
  if ('faults' in checked || !store || 'faults' in store) return { faults }
  const { reference: of, token, redeem, comment, saleId } = checked.value
  const payload = {
    reference: of,
    token,
    amount: redeem,
    storeId: store.value.storeId,
    ...compact({ comment, saleId }),
  } satisfies SubmittedRedemption
  return { kind: 'RedemptionSubmitted', payload }
}

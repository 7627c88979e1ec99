import { z } from 'zod'
import type { Settlement } from '../../sales/settlements.ts'
import { LocalTime } from '../../schemas/parts.ts'
import type { GiftCardTransaction } from '../../schemas/sales.ts'
import { nearest } from './nearest.ts'

const Paid = z.strictObject({ type: z.string(), subType: z.string(), amount: z.number() })

/** The twin of a settlement in camel case (facts, §3 "possettlementv2"). */
export const settlement = nearest(
  z.strictObject({
    settlementId: z.int(),
    batchNumber: z.int(),
    storeExtId: z.string(),
    storeInfo: z.string(),
    storeName: z.string(),
    posId: z.int(),
    posName: z.string(),
    personName: z.string(),
    settlementTimeStamp: LocalTime,
    dateTimeFrom: LocalTime,
    dateTimeTo: LocalTime,
    receiptNoFrom: z.int(),
    receiptNoTo: z.int(),
    currency: z.string(),
    grossTotal: z.number(),
    grossDiscount: z.number(),
    grandTotal: z.number(),
    netTotal: z.number(),
    vatTotal: z.number(),
    vatArea1: z.number().nullable(),
    vatArea2: z.number().nullable(),
    vatArea3: z.number().nullable(),
    openingCashBalance: z.number(),
    closingCashBalance: z.number(),
    discrepancy: z.number(),
    comment: z.string(),
    paymentTypes: z.array(Paid.extend({ currency: z.string(), currencyTendered: z.number() })),
    withdrawals: z.array(Paid),
    deposits: z.array(Paid),
  }),
  (from: Settlement) => ({
    settlementId: from.SETTLEMENTID,
    batchNumber: Number(from.BatchNumber),
    storeExtId: from.StoreNo,
    storeInfo: from.StoreInfo,
    storeName: from.StoreName,
    posId: from.POSID,
    posName: from.PosName,
    personName: from.PersonName,
    settlementTimeStamp: from.SettlementTimeStamp,
    dateTimeFrom: from.DateTimeFrom,
    dateTimeTo: from.DateTimeTo,
    receiptNoFrom: from.ReceiptNoFrom,
    receiptNoTo: from.ReceiptNoTo,
    currency: from.Currency,
    grossTotal: from.GrossTotal,
    grossDiscount: from.GrossDiscount,
    grandTotal: from.GrandTotal,
    netTotal: from.NetTotal,
    vatTotal: from.VATTotal,
    vatArea1: from.VATArea1,
    vatArea2: from.VATArea2,
    vatArea3: from.VATArea3,
    openingCashBalance: from.OpeningCashBalance,
    closingCashBalance: from.ClosingCashBalance,
    discrepancy: from.Discrepancy,
    comment: from.Comment,
    paymentTypes: from.PaymentTypes.map(({ Type, SubType, Currency, CurrencyTendered, Amount }) => ({
      type: Type,
      subType: SubType,
      currency: Currency,
      currencyTendered: CurrencyTendered,
      amount: Amount,
    })),
    withdrawals: [],
    deposits: [],
  }),
)

/** A card, and what was booked on it: neither has a currency, a store or a time. */
export const giftCard = nearest(
  z.strictObject({
    id: z.int(),
    token: z.string(),
    amount: z.number(),
    initialAmount: z.number(),
    issueSaleId: z.int().nullable(),
    saleId: z.int(),
    comment: z.string(),
  }),
  (from: z.infer<typeof GiftCardTransaction>) => ({
    id: from.giftCardId,
    token: from.token,
    amount: from.amount,
    initialAmount: from.initialAmount,
    issueSaleId: from.type === 'Issued' ? from.saleId : null,
    saleId: from.saleId,
    comment: from.type,
  }),
)

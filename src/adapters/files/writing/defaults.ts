import type { BookingName } from '../../../domain/books/bookings.ts'

/** The way a kind is written where config says nothing. */
interface Default {
  /** The list that has a row for each; null: one row a record. */
  rows: string | null
  columns: Readonly<Record<string, string>>
}

const begin = { Key: 'key', Store: 'storeNo', Day: 'day' }
const beginStock = { Key: 'key', Store: 'storeNo', Stock: 'stockId', Day: 'day' }
const delivery = { Delivery: 'delivery.deliveryId', Reference: 'delivery.reference' }
const goods = { GTIN: 'row.gtin', SKU: 'row.sku', Quantity: 'row.quantity' }

/** Whole enough to book from, and without personal data. */
export const DEFAULTS: Readonly<Record<BookingName, Default>> = {
  bookSale: {
    rows: 'sale.lines',
    columns: {
      ...begin,
      Receipt: 'sale.receiptNo',
      Time: 'sale.createdAt',
      Till: 'sale.store.posId',
      External: 'external',
      Order: 'sale.orderNo',
      Line: 'rowNo',
      GTIN: 'row.gtin',
      SKU: 'row.sku',
      Name: 'row.name',
      Quantity: 'row.quantity',
      UnitPrice: 'row.unitPrice.amount',
      LineTotal: 'row.total.amount',
      VatRate: 'row.vatRate',
      Vat: 'row.vat.amount',
      SaleTotal: 'sale.total.amount',
      Currency: 'sale.total.currency',
    },
  },
  bookInvoice: {
    rows: null,
    columns: {
      ...begin,
      Invoice: 'invoice.number',
      InvoiceId: 'invoice.invoiceId',
      Receipt: 'invoice.receiptNo',
      Time: 'invoice.at',
      Till: 'invoice.posId',
      InvoicedOn: 'invoice.invoicedOn',
      DueOn: 'invoice.dueOn',
      Customer: 'invoice.customer.customerId',
      Amount: 'invoice.amount.amount',
      Vat: 'invoice.vatTotal.amount',
      Currency: 'invoice.amount.currency',
    },
  },
  bookSettlement: {
    rows: 'entries',
    columns: {
      ...begin,
      Settlement: 'settlement.settlementId',
      Batch: 'settlement.batchNumber',
      Till: 'settlement.posId',
      Time: 'settlement.settledAt',
      Account: 'row.account',
      Text: 'row.text',
      Debit: 'row.debit',
      Credit: 'row.credit',
      VatRate: 'row.vatRate',
      Currency: 'row.currency',
      Country: 'country',
    },
  },
  bookReceived: {
    rows: null,
    columns: {
      ...beginStock,
      ...delivery,
      Time: 'delivery.at',
      Article: 'line.article',
      GTIN: 'line.gtin',
      Quantity: 'quantity',
      Cost: 'line.cost.amount',
      Currency: 'line.cost.currency',
      Country: 'country',
    },
  },
  bookCost: {
    rows: null,
    columns: {
      ...beginStock,
      ...delivery,
      Time: 'delivery.at',
      Article: 'article',
      GTIN: 'gtin',
      Cost: 'cost.amount',
      Currency: 'cost.currency',
      Country: 'country',
    },
  },
  bookDelivery: {
    rows: 'delivery.lines',
    columns: {
      ...beginStock,
      ...delivery,
      Status: 'delivery.status',
      Completed: 'delivery.isCompleted',
      Time: 'delivery.at',
      Article: 'row.article',
      GTIN: 'row.gtin',
      Expected: 'row.expected',
      Received: 'row.received',
      Cost: 'row.cost.amount',
      Currency: 'row.cost.currency',
      Country: 'country',
    },
  },
  bookMovement: {
    rows: null,
    columns: {
      ...beginStock,
      Movement: 'movement.movementId',
      Type: 'movement.type',
      Time: 'movement.at',
      GTIN: 'movement.gtin',
      SKU: 'movement.sku',
      Quantity: 'movement.quantity',
      Level: 'movement.level',
    },
  },
  bookCount: {
    rows: 'count.items',
    columns: {
      ...beginStock,
      Count: 'count.countId',
      Complete: 'count.isComplete',
      CountedAt: 'count.countedAt',
      Time: 'count.at',
      ...goods,
    },
  },
  bookAdjustment: {
    rows: 'adjustment.items',
    columns: {
      ...beginStock,
      Adjustment: 'adjustment.adjustmentId',
      Reason: 'adjustment.reason',
      Time: 'adjustment.at',
      ...goods,
    },
  },
  bookTransfer: {
    rows: 'transfer.lines',
    columns: {
      ...beginStock,
      Step: 'step',
      Virtual: 'virtual',
      Transfer: 'transfer.transferId',
      FromStock: 'transfer.fromStockId',
      ToStock: 'transfer.toStockId',
      Status: 'transfer.status',
      SentAt: 'transfer.sentAt',
      ReceivedAt: 'transfer.receivedAt',
      ...goods,
      Received: 'row.received',
    },
  },
  bookGiftCard: {
    rows: null,
    columns: {
      ...begin,
      Transaction: 'transaction.transactionId',
      GiftCard: 'transaction.giftCardId',
      Type: 'transaction.type',
      Time: 'transaction.at',
      Till: 'transaction.posId',
      Receipt: 'transaction.receiptNo',
      Amount: 'transaction.amount.amount',
      Balance: 'transaction.balance.amount',
      Currency: 'transaction.amount.currency',
    },
  },
  bookTerminal: {
    rows: 'reconciliation.schemes',
    columns: {
      ...begin,
      Reconciliation: 'reconciliation.reconciliationId',
      Terminal: 'reconciliation.terminalId',
      Till: 'reconciliation.posId',
      Time: 'reconciliation.at',
      Scheme: 'row.scheme',
      Count: 'row.count',
      Amount: 'row.amount.amount',
      Currency: 'row.amount.currency',
      Total: 'reconciliation.amount.amount',
    },
  },
  bookReservation: {
    rows: null,
    columns: {
      ...beginStock,
      Step: 'step',
      Reservation: 'reservation.reservationId',
      GTIN: 'reservation.gtin',
      SKU: 'reservation.sku',
      Quantity: 'reservation.quantity',
      Order: 'reservation.orderNo',
      Status: 'reservation.status',
      Time: 'reservation.at',
      ExpiresAt: 'reservation.expiresAt',
      ReleasedAt: 'reservation.releasedAt',
    },
  },
}

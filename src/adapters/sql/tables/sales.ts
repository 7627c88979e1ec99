import { Big } from 'big.js'
import type { SaleBooking } from '../../../domain/books/bookings.ts'
import { amount, currency, decimal, defineTables, flag, note, personal, text, time } from './columns.ts'

export const saleTables = defineTables<SaleBooking>(
  ({ storeNo, stockId, day, sale }) => ({ storeNo: storeNo ?? sale.store.number, stockId, day }),
  ({ head, lines }) => [
    head('sales', [
      time('sold_at', ({ sale }) => sale.createdAt),
      text('receipt_no', ({ sale }) => sale.receiptNo),
      text('order_no', ({ sale }) => sale.orderNo),
      flag('is_external', ({ external }) => external),
      currency('currency', ({ sale }) => [sale.total, sale.vatTotal]),
      amount('total', ({ sale }) => sale.total),
      amount('vat_total', ({ sale }) => sale.vatTotal),
      text('store_name', ({ sale }) => sale.store.name),
      text('store_country', ({ sale }) => sale.store.address?.countryCode),
      text('organization_no', ({ sale }) => sale.store.organizationNumber),
      text('pos_id', ({ sale }) => sale.store.posId),
      text('pos_name', ({ sale }) => sale.store.posName),
      text('sales_person', ({ sale }) => sale.store.salesPerson),
      text('carrier_id', ({ sale }) => sale.shipping?.carrierId),
      text('carrier_service', ({ sale }) => sale.shipping?.carrierService),
      text('ships_from_stock_id', ({ sale }) => sale.fulfillment?.stockId),
      note('ships_from_stock_name', ({ sale }) => sale.fulfillment?.stockName),
      personal('customer_id', ({ sale }) => sale.customerId),
      personal('customer_no', ({ sale }) => sale.customer?.number),
      personal('customer_first_name', ({ sale }) => sale.customer?.firstName),
      personal('customer_last_name', ({ sale }) => sale.customer?.lastName),
      personal('customer_company', ({ sale }) => sale.customer?.companyName),
      personal('customer_email', ({ sale }) => sale.customer?.email),
      personal('customer_phone', ({ sale }) => sale.customer?.phone),
    ]),
    lines('sale_lines', ({ sale }) => sale.lines.map((line) => ({ sale, line })))([
      time('sold_at', ({ sale }) => sale.createdAt),
      text('row_id', ({ line }) => line.rowId),
      text('gtin', ({ line }) => line.gtin),
      text('sku', ({ line }) => line.sku),
      text('name', ({ line }) => line.name),
      text('brand', ({ line }) => line.brand),
      text('color', ({ line }) => line.color),
      text('size', ({ line }) => line.size),
      decimal('quantity', ({ line }) => line.quantity),
      currency('currency', ({ line }) => [line.unitPrice, line.total, line.vat, line.fullPrice]),
      amount('unit_price', ({ line }) => line.unitPrice),
      amount('total', ({ line }) => line.total),
      amount('vat', ({ line }) => line.vat),
      decimal('vat_rate', ({ line }) => line.vatRate),
      amount('full_price', ({ line }) => line.fullPrice),
      flag('is_from_online_store', ({ line }) => line.shipFromOnlineStore),
      note('style_number', ({ line }) => line.number),
      note('variant', ({ line }) => line.variant),
      note('product_group', ({ line }) => line.group),
      note('season', ({ line }) => line.season),
      decimal('discount', ({ line }) => line.discount && kept(line.discount.amount)),
      decimal('discount_percent', ({ line }) => line.discountPercent && kept(line.discountPercent)),
      note('reasons', ({ line }) => line.reasons.join('; ') || null),
    ]),
    lines('sale_payments', ({ sale }) => sale.payments.map((payment) => ({ sale, payment })))([
      time('sold_at', ({ sale }) => sale.createdAt),
      text('type', ({ payment }) => payment.type),
      text('sub_type', ({ payment }) => payment.subType),
      currency('currency', ({ payment }) => [payment.amount]),
      amount('amount', ({ payment }) => payment.amount),
      text('reference', ({ payment }) => payment.transaction),
      currency('tendered_currency', ({ payment }) => [payment.tendered]),
      decimal('tendered', ({ payment }) => payment.tendered && kept(payment.tendered.amount)),
      { ...note('slip', ({ payment }) => payment.slip), isPersonal: true },
    ]),
  ],
)

/** With as many decimals as any of the databases keeps: nobody's books rest on it, so that more are no reason to refuse the sale. */
function kept(decimal: string): string {
  return new Big(decimal).round(9).toFixed()
}

import type { Decimal } from '../../domain/values/money.ts'
import { subtractDecimals } from '../../domain/values/money.ts'
import {
  day,
  decimal,
  flag,
  id,
  instant,
  type Known,
  list,
  type Row,
  savedAt,
  storeNo,
  text,
  wallClock,
} from './fields.ts'
import type { ReadSet } from './read-set.ts'

const stockId = text('stockId', "The platform's id of the stock.")
const stockNo = text('stockNo', "The retailer's own name of the stock.")
const gtin = text('gtin', 'The article.')
const sku = text('sku', "The retailer's own number of the article.")

export const stock: ReadSet = {
  name: 'stock',
  about: 'How many of an article a stock has.',
  kept: 'stock',
  placeIs: 'stock',
  filters: ['store', 'stock', 'gtin'],
  fields: [
    id,
    stockId,
    storeNo,
    gtin,
    sku,
    decimal('level', 'How many there are, by the last that the platform said.'),
    decimal('reserved', 'How many of them are kept for somebody.', reservedOf),
    decimal('available', 'Those that are left: level less reserved.', (row, known) =>
      subtractDecimals(row.body.level as Decimal, reservedOf(row, known)),
    ),
    instant('readAt', 'When there were so many.', ({ version }) => version),
    savedAt,
  ],
}

export const movements: ReadSet = {
  name: 'movements',
  about: 'What came into stocks, and left them.',
  kept: 'stock',
  placeIs: 'stock',
  filters: ['store', 'stock', 'gtin', 'from', 'to'],
  fields: [
    id,
    stockId,
    stockNo,
    storeNo,
    gtin,
    sku,
    text('type', '`Sale`, `Manual`, `PurchaseOrderReceived`, `Relocation` …'),
    decimal('quantity', 'Below 0: it left the stock.'),
    decimal('level', 'What it left in the stock.'),
    day,
    wallClock('at', 'When.'),
    savedAt,
  ],
}

export const reservations: ReadSet = {
  name: 'reservations',
  about: 'What stocks keep for somebody, and kept. By gtin: only what is kept now.',
  kept: 'stock',
  placeIs: 'stock',
  filters: ['store', 'stock', 'gtin', 'from', 'to'],
  fields: [
    id,
    stockId,
    stockNo,
    storeNo,
    gtin,
    sku,
    decimal('quantity', 'How many.'),
    text('orderNo', 'The order that they are kept for.'),
    text('status', '`Created`, `Released`, `Expired`, as the platform wrote it.'),
    flag('isOpen', 'They are kept now.'),
    day,
    wallClock('at', 'When they were reserved.'),
    wallClock('expiresAt', 'When they will be sold to others.'),
    wallClock('releasedAt', 'When they were.'),
    savedAt,
  ],
}

export const deliveries: ReadSet = {
  name: 'deliveries',
  about: 'Goods on their way to a stock, or there.',
  kept: 'all',
  placeIs: 'stock',
  filters: ['store', 'stock', 'from', 'to'],
  fields: [
    id,
    text('reference', 'What its sender knows it by.'),
    stockId,
    stockNo,
    storeNo,
    text('companyId', "The platform's id of the company."),
    text('type', '`DirectDelivery`, `PlannedDelivery`.'),
    text('status', 'As the platform wrote it.'),
    flag('isCompleted', 'No more will come of it.'),
    text('comment', 'As somebody wrote it.'),
    text('brand', "As the platform's list of deliveries says it, as those below: its webhooks do not."),
    text('season', 'Of the goods.'),
    text('orderType', 'A code of the platform.'),
    decimal('expectedQuantity', 'All lines together.'),
    decimal('expectedCost', 'Of all of them, without VAT.'),
    decimal('receivedQuantity', 'What has come, all lines together.'),
    decimal('receivedCost', 'Of all that has come, without VAT.'),
    text('expectedOn', 'The day.'),
    day,
    wallClock('at', 'When the platform changed it last.'),
    list('lines', 'Its articles, one a line.', [
      text('article', 'The GTIN, else what the platform calls it.'),
      text('gtin', 'The article.'),
      text('identifier', 'What the platform calls it.'),
      text('productId', "The platform's id of the product; from its list alone, as those below."),
      text('name', 'What it is called.'),
      text('number', 'Of the style.'),
      text('variant', 'The color code.'),
      text('color', 'In words.'),
      text('label', 'The size.'),
      text('description', 'As the platform has it.'),
      decimal('expected', 'How many are to come.'),
      decimal('received', 'How many have come, all in all.'),
      decimal('cost', 'Of one.'),
      text('costCurrency', "The cost's currency."),
      decimal('currentLevel', 'What the stock has of it, as it was said with the delivery.'),
      list('movements', 'What was booked in, time by time.', [
        text('movementId', 'The movement.'),
        wallClock('at', 'When.'),
        decimal('quantity', 'How many.'),
        decimal('cost', "Of one, in the line's currency."),
      ]),
    ]),
    savedAt,
  ],
}

function reservedOf({ body }: Row, { reserved }: Known): Decimal {
  return reserved(body.stockId as string, body.gtin as string)
}

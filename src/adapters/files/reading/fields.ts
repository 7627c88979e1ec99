import { suggest } from '../../../lib/suggest.ts'
import type { IntakeLine } from '../../../ports/intake.ts'

/** A field of what `/v1` takes, as a column of a file may hold it. */
export interface Field {
  /** In its object: `gtin`. */
  name: string
  as: 'text' | 'code' | 'decimal' | 'boolean' | 'urls'
  /** The field is of a size or an order line, of which each has a row of its own. */
  ofRow: boolean
  /** The column's name ends in a name of the retailer's own, such as `productPrices.Norway`: of what. */
  own: 'price list' | 'stock' | null
}

/** Rows that stand together and are one line of `/v1`. */
export interface Group {
  /** The field that says which rows do. */
  key: string
  /** The list that has an object for each row. */
  rows: string
}

interface Shape {
  fields: readonly Field[]
  /** Without one of each of these, no row says anything. */
  needed: readonly (readonly string[])[]
  /** Null: a row each. */
  group: Group | null
}

/** In this order files are read: what a product is comes before what it costs and how many there are. */
export const RESOURCES = [
  'products',
  'prices',
  'cost-prices',
  'stock-adjustments',
  'deliveries',
] as const satisfies readonly IntakeLine[]

const priced = [code('productExtId'), code('gtin'), code('productId'), field('price', 'decimal')]
const onePrice = [['productExtId', 'gtin', 'productId'], ['price']]

/** Named as the fields of `/v1` are; `push` has the same names. */
export const SHAPES: Readonly<Record<IntakeLine, Shape>> = {
  products: {
    fields: [
      ...['extId', 'number', 'variant'].map(code),
      ...['name', 'groupName', 'subgroupName', 'color', 'season', 'brand'].map((name) => field(name, 'text')),
      field('price', 'decimal'),
      field('cost', 'decimal'),
      field('description', 'text'),
      field('images', 'urls'),
      field('pictureRef', 'text'),
      field('isWebAvailable', 'boolean'),
      field('createProductSpecificSize', 'boolean'),
      ...['gender', 'tags', 'sizeSystem'].map((name) => field(name, 'text')),
      field('isStockProduct', 'boolean'),
      field('isNoLabel', 'boolean'),
      { ...field('productPrices', 'decimal'), own: 'price list' },
      ofRow(code('gtin')),
      ofRow(code('externalSKU')),
      ofRow(field('label', 'text')),
      ofRow(field('labelSortIndex', 'text')),
      { ...ofRow(field('stockQty', 'decimal')), own: 'stock' },
    ],
    needed: [['extId']],
    group: { key: 'extId', rows: 'productSizes' },
  },
  prices: {
    fields: [field('list', 'text'), ...priced, field('validFrom', 'text'), field('validTo', 'text')],
    needed: [['list'], ...onePrice],
    group: null,
  },
  'cost-prices': {
    fields: [field('currency', 'text'), code('stockId'), code('stockNo'), ...priced],
    needed: [['currency', 'stockId', 'stockNo'], ...onePrice],
    group: null,
  },
  'stock-adjustments': {
    fields: [...['stockId', 'stockNo', 'gtin'].map(code), field('quantity', 'decimal'), field('description', 'text')],
    needed: [['stockId', 'stockNo'], ['gtin'], ['quantity']],
    group: null,
  },
  deliveries: {
    fields: [
      ...['extRef', 'storeNo', 'storeId', 'stockId'].map(code),
      ...['orderDate', 'expectedDeliveryDate', 'comment'].map((name) => field(name, 'text')),
      field('insertAsConfirmed', 'boolean'),
      ofRow(code('gtin')),
      ofRow(field('qty', 'decimal')),
      ofRow(field('cost', 'decimal')),
    ],
    needed: [['extRef'], ['storeNo', 'storeId'], ['insertAsConfirmed'], ['gtin'], ['qty']],
    group: { key: 'extRef', rows: 'orderLines' },
  },
}

/** A field, and the retailer's own name at its end. */
export interface Named {
  field: Field
  own: string | null
}

/** The field of this name, case aside: `gtin` and `productSizes.gtin` are the same one. */
export function findField(resource: IntakeLine, written: string): Named | null {
  const { fields, group } = SHAPES[resource]
  const whole = written.trim()
  for (const one of fields)
    for (const name of one.ofRow && group ? [one.name, `${group.rows}.${one.name}`] : [one.name]) {
      const begin = one.own === null ? name : `${name}.`
      if (one.own === null && plain(whole) === plain(name)) return { field: one, own: null }
      if (one.own !== null && plain(whole).startsWith(plain(begin)) && whole.length > begin.length)
        return { field: one, own: whole.slice(begin.length).trim() }
    }
  return null
}

/** The name of a field in faults and in columns. */
export function nameOf({ field: { name }, own }: Named): string {
  return own === null ? name : `${name}.${own}`
}

/** The fields that there are, for somebody who wrote a name that there is not. */
export function otherFields(resource: IntakeLine, written: string): string {
  const names = SHAPES[resource].fields.map(({ name, own }) => (own === null ? name : `${name}.<${own}>`))
  const near = suggest(written.trim(), names)
  return near === null ? `there are ${names.join(', ')}` : `did you mean ${near}?`
}

/** Fields that must have a column and have none: one of those that stand together. */
export function missingFields(resource: IntakeLine, columns: readonly { named: Named }[]): string[] {
  const there = new Set(columns.map(({ named }) => named.field.name))
  return SHAPES[resource].needed
    .filter((names) => names.every((name) => !there.has(name)))
    .map((names) => names.join(' or '))
}

export function plain(name: string): string {
  return name.trim().toLowerCase()
}

function field(name: string, as: Field['as']): Field {
  return { name, as, ofRow: false, own: null }
}

function code(name: string): Field {
  return field(name, 'code')
}

function ofRow(of: Field): Field {
  return { ...of, ofRow: true }
}

import { suggest } from '../lib/suggest.ts'

/** A field of `/v1` as a column. */
export interface Field {
  name: string
  as: 'text' | 'code' | 'decimal' | 'whole' | 'boolean' | 'urls'
  ofRow: boolean
  /** Followed by the retailer's own name: `productPrices.Norway`. */
  own: 'price list' | 'stock' | null
}

/** Rows with the same key are one item. */
export interface Group {
  key: string
  rows: string
}

interface Shape {
  fields: readonly Field[]
  /** One of each must have a column. */
  needed: readonly (readonly string[])[]
  group: Group | null
}

export type Resource = 'products' | 'prices' | 'cost-prices' | 'stock-adjustments' | 'goods-deliveries' | 'customers'
const priced = [...of('code', 'productExtId gtin productId'), ...of('decimal', 'price')]
const onePrice = [['productExtId', 'gtin', 'productId'], ['price']]

export const SHAPES: Readonly<Record<Resource, Shape>> = {
  products: {
    fields: [
      ...of('code', 'extId number variant'),
      ...of('text', 'name groupName subgroupName color season brand'),
      ...of('decimal', 'price cost'),
      ...of('text', 'description'),
      ...of('urls', 'images'),
      ...of('text', 'pictureRef'),
      ...of('boolean', 'isWebAvailable createProductSpecificSize'),
      ...of('text', 'gender tags sizeSystem'),
      ...of('boolean', 'isStockProduct isNoLabel'),
      ...of('decimal', 'productPrices', { own: 'price list' }),
      ...of('code', 'gtin externalSKU', { ofRow: true }),
      ...of('text', 'label labelSortIndex', { ofRow: true }),
      ...of('decimal', 'stockQty', { ofRow: true, own: 'stock' }),
    ],
    needed: [['extId']],
    group: { key: 'extId', rows: 'productSizes' },
  },
  prices: {
    fields: [...of('text', 'list'), ...priced, ...of('text', 'validFrom validTo')],
    needed: [['list'], ...onePrice],
    group: null,
  },
  'cost-prices': {
    fields: [...of('text', 'currency'), ...of('code', 'stockId stockNo'), ...priced],
    needed: [['currency', 'stockId', 'stockNo'], ...onePrice],
    group: null,
  },
  'stock-adjustments': {
    fields: [...of('code', 'stockId stockNo gtin'), ...of('decimal', 'quantity'), ...of('text', 'description')],
    needed: [['stockId', 'stockNo'], ['gtin'], ['quantity']],
    group: null,
  },
  'goods-deliveries': {
    fields: [
      ...of('code', 'extRef storeNo storeId stockId'),
      ...of('text', 'orderDate expectedDeliveryDate comment'),
      ...of('boolean', 'insertAsConfirmed'),
      ...of('code', 'gtin', { ofRow: true }),
      ...of('decimal', 'qty cost', { ofRow: true }),
    ],
    needed: [['extRef'], ['storeNo', 'storeId'], ['insertAsConfirmed'], ['gtin'], ['qty']],
    group: { key: 'extRef', rows: 'orderLines' },
  },
  customers: {
    fields: [
      ...of('code', 'extId'),
      ...of('text', 'email firstName lastName companyName'),
      ...of('code', 'phone phoneCountryPrefix'),
      ...of('text', 'address'),
      ...of('code', 'postalCode'),
      ...of('text', 'city countryCode'),
      ...of('boolean', 'isCompany'),
      ...of('code', 'orgNum'),
      ...of('boolean', 'agreedSendEmail agreedSendSms'),
      ...of('text', 'tags birthDay'),
      ...of('whole', 'birthYear'),
      ...of('text', 'gender langCode'),
      ...of('code', 'cardNo'),
      ...of('decimal', 'stdDiscount'),
      ...of('boolean', 'isEmployee isInvoice suppressCampaigns'),
      ...of('text', 'description'),
      ...of('code', 'registeredStoreId customerId'),
      ...of('text', 'changedAt'),
    ],
    needed: [['extId']],
    group: null,
  },
}

export interface Named {
  field: Field
  own: string | null
}

/** Any case, with or without the list: `productSizes.gtin`. */
export function findField(resource: Resource, written: string): Named | null {
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

export function fieldNameOf({ field: { name }, own }: Named): string {
  return own === null ? name : `${name}.${own}`
}

export function otherFields(resource: Resource, written: string): string {
  const names = SHAPES[resource].fields.map(({ name, own }) => (own === null ? name : `${name}.<${own}>`))
  const near = suggest(written.trim(), names)
  return near === null ? `there are ${names.join(', ')}.` : `did you mean ${near}?`
}

export function missingFields(resource: Resource, columns: readonly { named: Named }[]): string[] {
  const there = new Set(columns.map(({ named }) => named.field.name))
  return SHAPES[resource].needed
    .filter((names) => names.every((name) => !there.has(name)))
    .map((names) => names.join(' or '))
}

export function plain(name: string): string {
  return name.trim().toLowerCase()
}

function of(as: Field['as'], names: string, more: Partial<Field> = {}): Field[] {
  return names.split(' ').map((name) => ({ name, as, ofRow: false, own: null, ...more }))
}

import { suggest } from '../lib/suggest.ts'

export interface ReadColumn {
  named: Named
  from: string | null
  constant: unknown
}

export interface Bound extends ReadColumn {
  at: number
}

export interface Row {
  whole: Record<string, unknown>
  part: Record<string, unknown>
  faults: string[]
}

/** Columns of reject files; ignored when read again. */
export const LINE = 'TillbridgeLine'
export const REASON = 'TillbridgeReason'

export function readTemplate(
  resource: Resource,
  written: Readonly<Record<string, string>>,
  fault: (path: string[], message: string) => void,
): ReadColumn[] {
  const seen = new Set<string>()
  const columns = Object.entries(written).flatMap(([name, from]): ReadColumn[] => {
    const named = findField(resource, name)
    const wrong = (message: string) => {
      fault(['columns', name], message)
      return []
    }
    if (!named) return wrong(`Is no field of ${resource}: ${otherFields(resource, name)}`)
    if (seen.has(plain(fieldNameOf(named)))) return wrong('Is given twice.')
    seen.add(plain(fieldNameOf(named)))
    if (!from.startsWith('=')) return [{ named, from, constant: null }]
    const read = readValue(from.slice(1), named.field.as, PLAIN)
    if (read && 'value' in read) return [{ named, from: null, constant: read.value }]
    return wrong(read ? `Is the same in all rows, but: ${read.fault}.` : 'Is empty in all rows: leave it out.')
  })
  const missing = missingFields(resource, columns)
  if (missing.length > 0) fault(['columns'], `Must have ${missing.join(', ')}.`)
  return columns
}

export interface Hints {
  decimal: string
  unknownColumn: (column: string) => string
  missingColumn: string
  notUtf8: string
}

export interface HeaderForm {
  resource: Resource
  columns: readonly ReadColumn[] | null
  ignore?: readonly string[]
  hints: Hints
}

/** A text: what is wrong with the header. */
export function bindHeader(form: HeaderForm, header: readonly string[]): Bound[] | string {
  const cells = header.map(plain)
  return form.columns ? bindTemplate(form.columns, cells, header) : bindNames(form, cells, header)
}

type Cells = readonly string[]

function bindTemplate(template: readonly ReadColumn[], cells: Cells, header: Cells): Bound[] | string {
  const placeOf = ({ from }: ReadColumn) => (from === null ? -1 : cells.indexOf(plain(from)))
  const bound = template.map((column) => ({ ...column, at: placeOf(column) }))
  const missing = bound.find(({ from, at }) => from !== null && at === -1)
  if (missing) return `There is no column "${missing.from}" in the header, which has ${listed(header)}.`
  const twice = bound.find(({ at }) => at !== -1 && at !== cells.lastIndexOf(cells[at] ?? ''))
  return twice ? `The column "${twice.from}" stands twice in the header.` : bound
}

function bindNames({ resource, ignore = [], hints }: HeaderForm, cells: Cells, header: Cells): Bound[] | string {
  const passed = ['', LINE, REASON, ...ignore].map(plain)
  const bound: Bound[] = []
  const names = new Set<string>()
  for (const [at, cell] of cells.entries()) {
    if (passed.includes(cell)) continue
    const from = header[at]?.trim() ?? ''
    const named = findField(resource, from)
    if (!named) return `The column "${from}" is not known: ${otherFields(resource, from)} ${hints.unknownColumn(from)}`
    const name = plain(fieldNameOf(named))
    if (names.has(name)) return `The column "${from}" stands twice in the header.`
    names.add(name)
    bound.push({ named, from, constant: null, at })
  }
  const missing = missingFields(resource, bound)
  return missing.length > 0
    ? `The header lacks ${missing.join(', ')}. It has ${listed(header)}.${hints.missingColumn}`
    : bound
}

export function readRow<Of extends ReadColumn>(
  columns: readonly Of[],
  rawOf: (column: Of) => unknown,
  numbers: Numbers,
): Row {
  const row: Row = { whole: {}, part: {}, faults: [] }
  for (const column of columns) {
    const { named, from, constant } = column
    const read = from === null ? { value: constant } : readValue(rawOf(column), named.field.as, numbers)
    if (read === null) continue
    if ('value' in read) put(named.field.ofRow ? row.part : row.whole, named, read.value)
    else row.faults.push(`${fieldNameOf(named)}: ${read.fault}`)
  }
  return row
}

function put(into: Record<string, unknown>, { field: { name, own: ofWhat }, own }: Named, value: unknown): void {
  if (ofWhat === null) {
    into[name] = value
    return
  }
  const one = ofWhat === 'stock' ? { stockId: own, qty: value } : { pricelistName: own, price: value }
  into[name] ??= []
  ;(into[name] as unknown[]).push(one)
}

/** A key may have dots, too. */
export function at(object: Record<string, unknown>, path: string): unknown {
  const own = (value: unknown, name: string) =>
    value instanceof Object && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  return Object.hasOwn(object, path) ? object[path] : path.split('.').reduce<unknown>(own, object)
}

function listed(header: readonly string[]): string {
  const shown = header.slice(0, 40).map((cell) => cell.trim())
  return `${shown.join(', ').slice(0, 1_000)}${header.length > shown.length ? ' …' : ''}`
}

export interface Numbers {
  decimal: '.' | ',' | null
  /** Semicolons separate cells: numbers may have commas. */
  commas: boolean
  saidBy: string
}

const PLAIN: Numbers = { decimal: '.', commas: false, saidBy: '' }

type Value = { value: unknown } | { fault: string } | null

export function readValue(raw: unknown, as: Field['as'], numbers: Numbers): Value {
  if (raw === null || raw === undefined) return null
  if (typeof raw === 'string') {
    const cell = raw.trim()
    return cell === '' ? null : readCell(cell, as, numbers)
  }
  if (typeof raw === 'number' && as !== 'urls') return readCell(String(raw), as, PLAIN)
  if (typeof raw === 'boolean' && as === 'boolean') return { value: raw }
  if (as === 'urls' && Array.isArray(raw) && raw.every((one) => typeof one === 'string')) return { value: raw }
  const found = Array.isArray(raw) ? 'a list' : typeof raw === 'object' ? 'an object' : String(raw)
  return { fault: `found ${found}, expected ${EXPECTED[as]}` }
}

const EXPECTED = {
  ...{ text: 'text', code: 'text', decimal: 'a number', whole: 'a whole number' },
  ...{ boolean: 'true or false', urls: 'web addresses' },
}

function readCell(cell: string, as: Field['as'], numbers: Numbers): Value {
  if (as === 'decimal') return readNumber(cell, numbers)
  if (as === 'whole' && /^\d{1,15}$/.test(cell)) return { value: Number(cell) }
  if (as === 'whole') return { fault: `found ${shown(cell)}, expected a whole number` }
  if (as === 'boolean') {
    if (/^(true|yes|1)$/i.test(cell)) return { value: true }
    if (/^(false|no|0)$/i.test(cell)) return { value: false }
    return { fault: `found ${shown(cell)}, expected true or false (yes, no, 1, 0)` }
  }
  if (as === 'urls') return { value: cell.split(/[\s|]+/).filter((url) => url !== '') }
  // 7.04E+12 has lost the digits of a GTIN.
  if (as === 'code' && /^\d([.,]\d+)?E\+\d+$/i.test(cell))
    return {
      fault: `${shown(cell)} was a long number until a spreadsheet shortened it: format its column as text there`,
    }
  return { value: cell }
}

/** With a point. Ambiguous is a fault: 1,399, or 1.399 beside semicolons. */
function readNumber(cell: string, { decimal, commas, saidBy }: Numbers): Value {
  if (/^[+-]?\d+$/.test(cell)) return { value: cell }
  const [, sign = '', whole = '', mark = '', rest = ''] = /^([+-]?)(\d*)([.,])(\d+)$/.exec(cell) ?? []
  if (mark === '') return { fault: `found ${shown(cell)}, expected a number like 1399.50, without thousands signs` }
  if (decimal !== null && mark !== decimal)
    return { fault: `found ${shown(cell)}, expected a number with "${decimal}" before its decimals` }
  const thousands = /^[1-9]\d{0,2}$/.test(whole) && rest.length === 3
  if (decimal === null && thousands && (mark === ',' || commas))
    return { fault: `${shown(cell)} may be ${whole}${rest} or ${whole}.${rest}: ${saidBy} settles it` }
  return { value: `${sign}${whole || '0'}.${rest}` }
}

function shown(cell: string): string {
  return JSON.stringify(cell.length > 60 ? `${cell.slice(0, 57)}…` : cell)
}

/** A field of `/v1` as a column. */
interface Field {
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

type Resource = 'products' | 'prices' | 'cost-prices' | 'stock-adjustments' | 'goods-deliveries' | 'customers'
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

interface Named {
  field: Field
  own: string | null
}

/** Any case, with or without the list: `productSizes.gtin`. */
function findField(resource: Resource, written: string): Named | null {
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

function fieldNameOf({ field: { name }, own }: Named): string {
  return own === null ? name : `${name}.${own}`
}

function otherFields(resource: Resource, written: string): string {
  const names = SHAPES[resource].fields.map(({ name, own }) => (own === null ? name : `${name}.<${own}>`))
  const near = suggest(written.trim(), names)
  return near === null ? `there are ${names.join(', ')}.` : `did you mean ${near}?`
}

function missingFields(resource: Resource, columns: readonly { named: Named }[]): string[] {
  const there = new Set(columns.map(({ named }) => named.field.name))
  return SHAPES[resource].needed
    .filter((names) => names.every((name) => !there.has(name)))
    .map((names) => names.join(' or '))
}

function plain(name: string): string {
  return name.trim().toLowerCase()
}

function of(as: Field['as'], names: string, more: Partial<Field> = {}): Field[] {
  return names.split(' ').map((name) => ({ name, as, ofRow: false, own: null, ...more }))
}

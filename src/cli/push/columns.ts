import { UserError } from '../../domain/values/errors.ts'
import { suggest } from '../../lib/suggest.ts'

/** The sorts of data that can be pushed. */
export type What = 'products' | 'prices' | 'costs' | 'stock' | 'customers'

/** How the cells of a column are read. `size`: of the row's size, not of its product. */
export interface PushColumn {
  name: string
  as: 'text' | 'decimal' | 'whole' | 'boolean' | 'urls' | 'code'
  of?: 'size'
  /** For the template. */
  example: [string, string]
  /** The header ends in a name of the retailer's own: `productPrices.Norway`. */
  own?: { name: string; of: 'list' | 'stock' }
}

/** Columns are named as the fields of the platform's objects; a dot is followed by a price list's or a stock's own name. */
const COLUMNS: Readonly<Record<What, readonly PushColumn[]>> = {
  products: [
    column('extId', 'code', '1001-BLK', '1001-BLK'),
    column('number', 'code', '1001', '1001'),
    column('variant', 'code', 'BLK', 'BLK'),
    column('name', 'text', 'Rain jacket', 'Rain jacket'),
    column('groupName', 'text', 'Jackets', 'Jackets'),
    column('subgroupName', 'text', '', ''),
    column('color', 'text', 'Black', 'Black'),
    column('season', 'text', 'AW26', 'AW26'),
    column('brand', 'text', 'Acme', 'Acme'),
    column('price', 'decimal', '1399.50', '1399.50'),
    column('cost', 'decimal', '520.00', '520.00'),
    column('description', 'text', 'Waterproof, with a hood', ''),
    column('images', 'urls', 'https://example.com/1001-BLK.jpg', ''),
    column('pictureRef', 'text', '', ''),
    column('isWebAvailable', 'boolean', 'true', ''),
    column('createProductSpecificSize', 'boolean', 'true', ''),
    column('gender', 'text', 'm, f', ''),
    column('tags', 'text', 'rain,outdoor', ''),
    column('isStockProduct', 'boolean', 'true', ''),
    column('isNoLabel', 'boolean', 'false', ''),
    column('sizeSystem', 'text', '', ''),
    { ...column('productPrices.', 'decimal', '1399.50', ''), own: { name: 'Norway', of: 'list' } },
    size('gtin', 'code', '7040000000016', '7040000000023'),
    size('externalSKU', 'code', '1001-BLK-S', '1001-BLK-M'),
    size('label', 'text', 'S', 'M'),
    size('labelSortIndex', 'text', '1', '2'),
    { ...size('stockQty.', 'decimal', '4', '7'), own: { name: '3', of: 'stock' } },
  ],
  prices: [
    column('list', 'text', 'Norway', 'Norway'),
    column('productExtId', 'code', '1001-BLK', '1002-RED'),
    column('gtin', 'code', '', ''),
    column('productId', 'code', '', ''),
    column('price', 'decimal', '1399.50', '899.00'),
    column('validFrom', 'text', '2026-12-01T00:00:00Z', ''),
    column('validTo', 'text', '2026-12-31T23:00:00Z', ''),
  ],
  costs: [
    column('currency', 'text', 'NOK', ''),
    column('stockId', 'code', '', '3'),
    column('stockNo', 'code', '', ''),
    column('productExtId', 'code', '1001-BLK', '1002-RED'),
    column('gtin', 'code', '', ''),
    column('productId', 'code', '', ''),
    column('price', 'decimal', '520.00', '310.00'),
  ],
  stock: [
    column('stockId', 'code', '3', '3'),
    column('stockNo', 'code', '', ''),
    column('gtin', 'code', '7040000000016', '7040000000023'),
    column('quantity', 'decimal', '4', '7'),
    column('description', 'text', '', ''),
  ],
  customers: [
    column('extId', 'code', 'C-1', 'C-2'),
    column('email', 'text', 'kari@example.com', 'ola@example.com'),
    column('firstName', 'text', 'Kari', 'Ola'),
    column('lastName', 'text', 'Nordmann', 'Nordmann'),
    column('companyName', 'text', '', ''),
    column('phone', 'code', '40000001', '40000002'),
    column('phoneCountryPrefix', 'code', '47', '47'),
    column('address', 'text', 'Storgata 1', ''),
    column('postalCode', 'code', '0155', ''),
    column('city', 'text', 'Oslo', ''),
    column('countryCode', 'text', 'NO', 'NO'),
    column('isCompany', 'boolean', '', ''),
    column('orgNum', 'code', '', ''),
    column('agreedSendEmail', 'boolean', 'true', 'false'),
    column('agreedSendSms', 'boolean', 'false', 'false'),
    column('tags', 'text', 'club', ''),
    column('birthDay', 'text', '1985-05-17', ''),
    column('birthYear', 'whole', '', ''),
    column('gender', 'text', '', ''),
    column('langCode', 'text', 'no', ''),
    column('cardNo', 'code', '', ''),
    column('stdDiscount', 'decimal', '', ''),
    column('isEmployee', 'boolean', '', ''),
    column('isInvoice', 'boolean', '', ''),
    column('suppressCampaigns', 'boolean', '', ''),
    column('description', 'text', '', ''),
    column('registeredStoreId', 'code', '', ''),
    column('customerId', 'code', '', ''),
    column('changedAt', 'text', '', ''),
  ],
}

/** Columns without which no row makes sense; one of those that stand together. */
const NEEDED: Readonly<Record<What, readonly (readonly string[])[]>> = {
  products: [['extId']],
  prices: [['list'], ['productExtId', 'gtin', 'productId'], ['price']],
  costs: [['currency', 'stockId', 'stockNo'], ['productExtId', 'gtin', 'productId'], ['price']],
  stock: [['stockId', 'stockNo'], ['gtin'], ['quantity']],
  customers: [['extId']],
}

/** A column of a file; null: a column that is passed over. */
export type Found = { column: PushColumn; own: string | null } | null

/**
 * The columns that a header names, in its order; case does not matter. Throws a UserError for a name that is unknown and
 * not to be passed over (a mistyped one would be lost in silence), one that stands twice, or one that is missing.
 */
export function readHeader(what: What, cells: readonly string[], ignored: readonly string[]): Found[] {
  const passed = new Set(ignored.map(plain))
  const seen = new Set<string>()
  const found = cells.map((cell) => {
    const name = plain(cell)
    if (name === '' || passed.has(name)) return null
    if (seen.has(name)) throw new UserError(`The column "${cell.trim()}" stands twice in the header.`)
    seen.add(name)
    return find(what, cell.trim()) ?? refuse(what, cell.trim())
  })
  const missing = NEEDED[what].filter((names) => !found.some((one) => one && names.includes(one.column.name)))
  if (missing.length > 0)
    throw new UserError(
      `The header lacks ${missing.map((names) => names.join(' or ')).join(', ')}. It has: ${cells.map((cell) => cell.trim()).join(', ')}. "push ${what} --template" prints one.`,
    )
  return found
}

/** A file to begin with: all columns, two rows. */
export function template(what: What): string {
  const columns = COLUMNS[what]
  const header = columns.map(({ name, own }) => `${name}${own?.name ?? ''}`)
  const rows = [0, 1].map((row) => columns.map(({ example }) => quoted(example[row] ?? '')))
  return [header, ...rows].map((cells) => cells.join(',')).join('\n')
}

function find(what: What, cell: string): Found {
  for (const column of COLUMNS[what]) {
    const { name, own } = column
    if (!own && plain(name) === plain(cell)) return { column, own: null }
    if (own && plain(cell).startsWith(plain(name)) && cell.length > name.length)
      return { column, own: cell.slice(name.length).trim() }
  }
  return null
}

function refuse(what: What, cell: string): never {
  const names = COLUMNS[what].map(({ name, own }) => (own ? `${name}<${own.of}>` : name))
  const meant = suggest(cell, names)
  throw new UserError(
    `The column "${cell}" is not known.${meant ? ` Did you mean "${meant}"?` : ''} Known: ${names.join(', ')}. To pass over it: --ignore "${cell}".`,
  )
}

function column(name: string, as: PushColumn['as'], ...example: [string, string]): PushColumn {
  return { name, as, example }
}

function size(name: string, as: PushColumn['as'], ...example: [string, string]): PushColumn {
  return { name, as, example, of: 'size' }
}

function plain(name: string): string {
  return name.trim().toLowerCase()
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

import { type ReadRow, readCells, type Writing } from './cells.ts'
import { readHeader, type What } from './columns.ts'
import { type Delimiter, type Row, readRows } from './csv.ts'
import type { DecimalSign } from './decimal.ts'
import type { JsonText } from './json.ts'

/** An item of a file: something to send, or what is wrong where it should be. */
export type Item = JsonText | { line: number; faults: string[] }

/** How a CSV file is to be read. */
export interface CsvOptions {
  decimal: DecimalSign | null
  /** Columns that are passed over. */
  ignore: readonly string[]
}

/** The items of CSV text: of prices and stock one a row; of products one for rows that stand together, a size a row. */
export async function* readCsv(
  what: What,
  text: AsyncIterable<string>,
  { decimal, ignore }: CsvOptions,
): AsyncGenerator<Item> {
  let delimiter = ',' as Delimiter
  const rows = readRows(text, (found) => {
    delimiter = found
  })
  const header = await rows.next()
  if (header.done) return
  const columns = readHeader(what, header.value.cells, ignore)
  const writing: Writing = { sign: decimal, commas: delimiter === ';' }
  const read = (row: Row) => ({ line: row.line, ...readCells(row.cells, columns, writing) })
  if (what === 'products') yield* products(rows, read)
  else for await (const row of rows) yield itemOf(read(row))
}

type Lined = ReadRow & { line: number }

function itemOf({ line, fields, faults }: Pick<Lined, 'line' | 'fields' | 'faults'>): Item {
  return faults.length > 0 ? { line, faults } : { line, json: JSON.stringify(fields) }
}

/** A product that is being put together from its rows. */
interface Product extends Pick<Lined, 'line' | 'fields' | 'faults'> {
  extId: unknown
  sizes: object[]
}

async function* products(rows: AsyncIterable<Row>, read: (row: Row) => Lined): AsyncGenerator<Item> {
  /** Every product so far and its first line: one that comes again apart would lose its first sizes. */
  const begun = new Map<unknown, number>()
  let product: Product | null = null
  for await (const each of rows) {
    const row = read(each)
    const { extId } = row.fields
    if (extId === undefined) row.faults.push('extId is empty: each row names its product.')
    if (product !== null && extId !== undefined && product.extId === extId) {
      merge(product, row)
      continue
    }
    if (product !== null) yield productItem(product)
    const earlier = extId === undefined ? undefined : begun.get(extId)
    if (earlier !== undefined)
      row.faults.push(`${extId} stood on line ${earlier} already. Rows of one product stand together: sort the file.`)
    else if (extId !== undefined) begun.set(extId, row.line)
    const { line, fields, size, faults } = row
    product = { line, extId, fields, faults, sizes: Object.keys(size).length > 0 ? [size] : [] }
  }
  if (product !== null) yield productItem(product)
}

function productItem({ sizes, fields, ...product }: Product): Item {
  return itemOf({ ...product, fields: sizes.length > 0 ? { ...fields, productSizes: sizes } : fields })
}

/** A row more of the same product: what it says of the product may stand there, but must be the same. */
function merge(product: Product, { line, fields, size, faults }: Lined): void {
  for (const [name, value] of Object.entries(fields)) {
    const known = product.fields[name]
    if (known === undefined) product.fields[name] = value
    else if (JSON.stringify(known) !== JSON.stringify(value))
      product.faults.push(`Line ${line} has another ${name} than the rows of ${product.extId} before it.`)
  }
  product.faults.push(...faults.map((fault) => `Line ${line}: ${fault}`))
  if (Object.keys(size).length > 0) product.sizes.push(size)
}

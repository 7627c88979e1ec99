import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { listen } from '../../listen.ts'

/** What becomes of the JSON of every answer that is a success. */
export type Change = (answer: unknown) => unknown

export interface ChangedAnswers extends AsyncDisposable {
  url: string
  change: Change
}

/** Stands between a client and a platform, passes every request on, and changes what is answered. */
export async function startChangedAnswers(platform: string): Promise<ChangedAnswers> {
  const server = await listen(async (incoming, response) => {
    const { host: _, connection: __, 'content-length': ___, ...headers } = incoming.headers
    const body = await buffer(incoming)
    const answer = await request(new URL(incoming.url ?? '/', platform), {
      method: incoming.method ?? 'GET',
      headers,
      body: body.length > 0 ? body : null,
    })
    const text = await answer.body.text()
    const isJson = answer.statusCode < 300 && text !== '' && /json/.test(String(answer.headers['content-type']))
    response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type'] ?? 'text/plain') })
    response.end(isJson ? JSON.stringify(changed.change(JSON.parse(text))) : text)
  })
  const changed: ChangedAnswers = { ...server, change: asItIs }
  return changed
}

export const asItIs: Change = (answer) => answer

/** Without these a row is not one; all else may be null. */
const NEEDED =
  /^(store_?id|store_?no|webhook(event)?id|id|event|url|createddatetime|productid(_fk)?|extid|gtin|ean|name|pricelistid|stockid|quantity|orderid|orderno|customerid|storeid_fk|saledatetime|qty|price|movedatetime|settlementid|currency|settlementtimestamp|email|productsizes|item[12]|value|title|type|status|stockcountid|costprice|token|saledate|linetotal|code)$/i

/** Each field that may be null is. */
export const nulls: Change = (answer) =>
  inRows(answer, (rows) =>
    rows.map((row) =>
      isRecord(row)
        ? Object.fromEntries(Object.entries(row).map(([name, value]) => [name, NEEDED.test(name) ? value : null]))
        : row,
    ),
  )

/** A row more, of which nothing can be read. */
export const broken: Change = (answer) => inRows(answer, (rows, isList) => (isList ? [{}, ...rows] : rows))

/** Times have an offset: that of Central Europe in winter. */
export const offsets: Change = (answer) =>
  walk(answer, (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/.test(value) ? `${value}+01:00` : value,
  )

export const texts: Change = (answer) => walk(answer, (value) => (typeof value === 'number' ? String(value) : value))

/**
 * The same in a shape and in names of the platform's own: a list as `data.rows`, a record as `found`, and every field `x_` and its name
 * in small letters. `names`: those of the fields, too.
 */
export function elsewhere({ isList, names }: { isList: boolean; names: boolean }): Change {
  const row = (value: unknown) => ({ found: names ? renamed(value) : value })
  const rowIfRecord = (value: unknown) => (isRecord(value) ? row(value) : value)
  return (answer) => {
    if (!isRecord(answer) && !Array.isArray(answer)) return row(answer)
    const envelope = ['value', 'item1'].find((name) => isRecord(answer) && Array.isArray(answer[name]))
    const rows = envelope === undefined ? answer : (answer as Record<string, unknown>)[envelope]
    if (!Array.isArray(rows)) return row(answer)
    if (!isList) return rows.map(rowIfRecord)
    const { [envelope ?? '']: _, ...others } = Array.isArray(answer) ? {} : answer
    return { ...others, data: { rows: rows.map(rowIfRecord) } }
  }
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [nameElsewhere(name), renamed(inner)]))
}

/** The name of a field whose documented name is this one. */
export const nameElsewhere = (name: string) => `x_${name.toLowerCase()}`

/** The rows of an answer: a list, one in an envelope, or the one thing that it is. */
function inRows(answer: unknown, change: (rows: unknown[], isList: boolean) => unknown[]): unknown {
  if (Array.isArray(answer)) return change(answer, true)
  if (!isRecord(answer)) return answer
  for (const envelope of ['value', 'item1', 'prices']) {
    const rows = answer[envelope]
    if (Array.isArray(rows)) return { ...answer, [envelope]: change(rows, true) }
  }
  return change([answer], false)[0]
}

function walk(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => walk(one, change))
  if (!isRecord(value)) return change(value)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner, change)]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

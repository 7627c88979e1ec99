import { z } from 'zod'
import { UserError } from '../../domain/values/errors.ts'

/** A column of a CSV file. */
export interface ExportColumn {
  header: string
  /** A field of the item; with `within`, of each thing in that list of it. */
  name: string
  within: string | null
}

const Property = z.looseObject({
  type: z.array(z.string()).or(z.string()),
  format: z.string().optional(),
  'x-personal': z.boolean().optional(),
  items: z.looseObject({ properties: z.record(z.string(), z.unknown()) }).optional(),
})

const Contract = z.looseObject({
  paths: z.record(z.string(), z.looseObject({ get: z.looseObject({ operationId: z.string() }).optional() })),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
})

const Item = z.looseObject({ properties: z.record(z.string(), Property) })

/**
 * The columns of a set, as this very hub describes its items: what is nested is left out. With `rows`, there is a row for each
 * thing in that list of an item; amounts of the whole are left out then, since whoever adds them up would count them twice.
 */
export function columnsOf(
  contract: unknown,
  { what, rows, personal }: { what: string; rows: string | null; personal: boolean },
): ExportColumn[] {
  const { components } = read(Contract, contract, what)
  const { properties } = read(Item, components.schemas[schemaName(what)], what)
  const given = Object.entries(properties).filter(([, one]) => personal || !one['x-personal'])
  const lists = given.filter(([, one]) => one.type.includes('array'))
  const flat = given.filter(([, one]) => !one.type.includes('array') && (rows === null || one.format !== 'decimal'))
  const columns = flat.map(([name]): ExportColumn => ({ header: name, name, within: null }))
  if (rows === null) return columns
  const list = lists.find(([name]) => name === rows)
  if (!list) throw new UserError(`--rows: ${what} have no "${rows}". ${haveWhat(lists.map(([name]) => name))}`)
  const nested = Object.keys(list[1].items?.properties ?? {})
  return [...columns, ...nested.map((name): ExportColumn => ({ header: `${rows}.${name}`, name, within: rows }))]
}

/** The rows of an item: one, or one for each thing in a list of it, at least one. */
export function rowsOf(
  item: Readonly<Record<string, unknown>>,
  columns: readonly ExportColumn[],
  rows: string | null,
): unknown[][] {
  const found = rows === null ? [] : item[rows]
  const parts: unknown[] = Array.isArray(found) && found.length > 0 ? found : [{}]
  return parts.map((part) =>
    columns.map(({ name, within }) => (within === null ? item : (part as Record<string, unknown>))[name]),
  )
}

function haveWhat(lists: readonly string[]): string {
  return lists.length === 0 ? 'They have nothing nested.' : `Choose from ${lists.join(', ')}.`
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new UserError(`The hub does not say what ${what} are like: it is of another version. Say --format ndjson.`)
}

/** `SalesLinesItem`. */
function schemaName(what: string): string {
  const words = what.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Item`
}

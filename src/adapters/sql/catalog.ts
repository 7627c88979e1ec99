import type { Catalog, Connection, Limits } from './dialect.ts'

/** Reads what columns there are, from what both kinds of database call by the same names. */
export async function readCatalog(
  connection: Connection,
  { where, values, key = 'null' }: { where: string; values: readonly unknown[]; key?: string },
): Promise<Catalog> {
  const rows = await connection.query(
    `select ${COLUMNS}, ${key} as of_key from information_schema.columns where ${where}`,
    values,
  )
  const catalog = new Map<string, Map<string, Limits>>()
  for (const row of rows) {
    const table = String(row.of_table)
    const columns = catalog.get(table) ?? new Map<string, Limits>()
    catalog.set(table, columns.set(String(row.name), limitsOf(row)))
  }
  return catalog
}

const COLUMNS = `table_name as of_table, column_name as name, data_type as type, character_maximum_length as characters,
  character_octet_length as bytes, numeric_precision as digits, numeric_scale as after_point`

function limitsOf({ type, characters, bytes, digits, after_point, of_key }: Record<string, unknown>): Limits {
  const isDecimal = /^(numeric|decimal)$/i.test(String(type)) && digits !== null && after_point !== null
  return {
    type: String(type).toLowerCase(),
    isUnique: of_key === null ? null : /^(PRI|UNI)$/.test(String(of_key)),
    characters: numberOf(characters),
    bytes: numberOf(bytes),
    digits: isDecimal ? { before: Number(digits) - Number(after_point), after: Number(after_point) } : null,
  }
}

function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

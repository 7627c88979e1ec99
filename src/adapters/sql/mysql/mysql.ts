import mysql from 'mysql2'
import { readCatalog } from '../catalog.ts'
import type { Connection, Dialect, Named } from '../dialect.ts'
import type { ColumnType, Value } from '../tables/columns.ts'
import { talliedRow } from '../tally-rows.ts'
import { mysqlTrouble } from './trouble.ts'

const TYPES: Readonly<Record<ColumnType, string>> = {
  key: 'varchar(191) character set ascii collate ascii_bin',
  instant: 'datetime(3)',
  number: 'int',
  text: 'varchar(255)',
  note: 'text',
  // 28 digits are what most that reads them has room for.
  decimal: 'decimal(28, 9)',
  currency: 'char(3)',
  day: 'date',
  time: 'datetime(3)',
  flag: 'boolean',
}

const TEXTS = ['varchar', 'char', 'tinytext', 'text', 'mediumtext', 'longtext'] as const

const KEEPS: Dialect['keeps'] = {
  key: ['varchar', 'char'],
  instant: ['datetime', 'timestamp'],
  number: ['int', 'smallint', 'mediumint', 'bigint', 'decimal'],
  text: TEXTS,
  note: TEXTS,
  decimal: ['decimal'],
  currency: ['char', 'varchar'],
  day: ['date', 'datetime'],
  time: ['datetime'],
  flag: ['tinyint', 'smallint', 'int', 'bit'],
}

/** Rights that this user was granted on everything, and on this database. A role of his has a name of its own there. */
const MAY_CREATE = `select 1 from (
  select grantee, privilege_type from information_schema.user_privileges
  union all
  select grantee, privilege_type from information_schema.schema_privileges where database() like table_schema
) as granted where privilege_type = 'CREATE' and grantee = concat("'", replace(current_user(), '@', "'@'"), "'")`

/** MariaDB and MySQL. */
export const mysqlDialect: Dialect = {
  async schema(connection) {
    const [row] = await connection.query('select database() as name')
    return { name: String(row?.name), exists: true }
  },

  createTable({ name, hasLines, columns }) {
    const lines = [
      ...columns.map(({ name, type }) => `\`${name}\` ${TYPES[type]}${isOfKey(type) ? ' not null' : ''}`),
      '`booked_at` datetime(3) not null',
      `primary key (\`booking_key\`${hasLines ? ', `line_no`' : ''})`,
    ]
    return [`create table if not exists \`${name}\` (${lines.join(', ')}) engine = InnoDB default charset = utf8mb4`]
  },

  addColumns({ name }, missing) {
    const added = missing.map(({ name, type }) => `add column \`${name}\` ${TYPES[type]}`)
    return [`alter table \`${name}\` ${added.join(', ')}`]
  },

  catalog(connection, tables, schema) {
    const names = tables.map(({ name }) => name)
    return readCatalog(connection, {
      where: 'table_schema = ? and table_name in (?)',
      values: [schema.name, names],
      // Without a unique key, a record that comes again would be a second row.
      key: 'column_key',
    })
  },

  async upsert(connection, table, rows) {
    const set = [...table.columns.map(({ name }) => name), 'booked_at'].map((name) =>
      // A unique index of the operator's own must not make it another record's row: no key is an error.
      name === 'booking_key'
        ? '`booking_key` = if(`booking_key` = values(`booking_key`), `booking_key`, null)'
        : `\`${name}\` = values(\`${name}\`)`,
    )
    await write(connection, table, rows, `on duplicate key update ${set.join(', ')}`)
  },

  insert: (connection, table, rows) => write(connection, table, rows, ''),

  async deleteKeys(connection, { name }, keys) {
    await connection.query(`delete from \`${name}\` where \`booking_key\` in (?)`, [keys])
  },

  async hasKey(connection, { name }, key) {
    const rows = await connection.query(`select 1 from \`${name}\` where \`booking_key\` = ?`, [key])
    return rows.length > 0
  },

  async tally(connection, { name, amount }, keys) {
    const sums = amount ? `, sum(\`${amount.column}\`) as amount, max(\`${amount.currency}\`) as currency` : ''
    const rows = await connection.query(
      `select \`booking_key\` as \`key\`, count(*) as \`count\`${sums} from \`${name}\` where \`booking_key\` in (?) group by \`booking_key\``,
      [keys],
    )
    return rows.map(talliedRow)
  },

  keeps: KEEPS,

  async isReadOnly(connection) {
    const [row] = await connection.query('select @@global.read_only as read_only')
    return String(row?.read_only) === '1'
  },

  async mayCreate(connection) {
    return (await connection.query(MAY_CREATE)).length > 0 ? true : null
  },

  troubleOf: mysqlTrouble,
}

/** As few statements as have room for the rows. */
async function write(connection: Connection, { name, columns }: Named, rows: readonly Value[][], end: string) {
  const names = columns.map(({ name }) => `\`${name}\``).join(', ')
  const begin = `insert into \`${name}\` (${names}, \`booked_at\`) values `
  const room = connection.longestStatement - begin.length - end.length
  let tuples: string[] = []
  let length = 0
  const send = async () => {
    if (tuples.length > 0) await connection.query(`${begin}${tuples.join(',')} ${end}`)
    tuples = []
    length = 0
  }
  for (const row of rows) {
    const tuple = `(${row.map((value) => mysql.escape(value)).join(',')},utc_timestamp(3))`
    if (length + tuple.length >= room) await send()
    tuples.push(tuple)
    length += tuple.length + 1
  }
  await send()
}

function isOfKey(type: ColumnType): boolean {
  return type === 'key' || type === 'number'
}

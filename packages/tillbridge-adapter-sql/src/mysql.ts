import mysql from 'mysql2'
import type { SqlAddress } from './address.ts'
import { type Connect, connectOver, createDialect } from './dialect.ts'
import { type Fault, unanswered } from './outcome.ts'
import type { ColumnType } from './tables.ts'

type Kind = Fault['kind']

/** Shared by MariaDB and MySQL, but for 4025, 1927 and 1969. */
const NUMBERS: ReadonlyMap<number, Kind> = new Map(
  (
    [
      ['login', [1045, 1129, 1130, 1698, 1820, 1862, 3118, 3159, 3955, 4151]],
      ['no-database', [1049]],
      ['rights', [1044, 1142, 1143, 1227, 1370]],
      ['busy', [1021, 1037, 1038, 1040, 1041, 1053, 1114, 1203, 1226, 1290, 1792, 1836, 3032, 3100]],
      ['conflict', [1205, 1213, 1317, 1613, 1614, 1969, 3024, 3572]],
      ['missing', [1054, 1146]],
      ['exists', [1050, 1060]],
      [
        'data',
        [1048, 1062, 1169, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1406, 1411, 1451, 1452, 1526, 1644, 3819, 4025],
      ],
      ['size', [1118, 1153, 1301]],
      ['unreachable', [1077, 1079, 1080, 1158, 1159, 1160, 1161, 1184, 1927]],
    ] as [Kind, number[]][]
  ).flatMap(([kind, numbers]) => numbers.map((number) => [number, kind])),
)

const CLASSES: Readonly<Record<string, Kind>> = {
  '08': 'busy',
  '22': 'data',
  '23': 'data',
  '28': 'login',
  '40': 'conflict',
  '42': 'statement',
  '45': 'data',
}

/** Messages hold values: only names are taken from them. */
const NAMES = [
  /^Data too long for column '(\w+)' at row \d+$/,
  /^Out of range value for column '(\w+)' at row \d+$/,
  /^Column '(\w+)' cannot be null$/,
  /^CONSTRAINT `([\w.]+)` failed for [`\w.]+$/,
  /^Check constraint '([\w.]+)' is violated\.$/,
  /for key '([\w.]+)'$/,
  /for column (?:`\w+`\.`\w+`\.)?[`'](\w+)[`'] at row \d+$/,
  /^Table '(?:[^']*[^'\w])?(\w+)' doesn't exist$/,
  /^Unknown column '(\w+)' in /,
]

const LOGIN = ['AUTH_SWITCH_PLUGIN_ERROR', 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED']

export function mysqlFailure(error: unknown): Fault {
  const { errno, sqlState, sqlMessage, code } = error as Partial<Record<string, unknown>>
  if (typeof errno !== 'number' || errno < 1_000) {
    const fault = unanswered(error)
    return LOGIN.includes(String(code)) ? { ...fault, kind: 'login' } : fault
  }
  const kind = NUMBERS.get(errno) ?? CLASSES[String(sqlState ?? '').slice(0, 2)] ?? 'other'
  return {
    kind,
    code: String(errno),
    about: nameIn(String(sqlMessage ?? '')),
    words: null,
    certain: kind === 'data' || [1205, 1213].includes(errno),
  }
}

function nameIn(words: string): string | null {
  for (const pattern of NAMES) {
    const name = pattern.exec(words)?.[1]
    if (name !== undefined) return name
  }
  return null
}

const TYPES: Readonly<Record<ColumnType, string>> = {
  key: 'varchar(191) character set ascii collate ascii_bin',
  instant: 'datetime(3)',
  number: 'int',
  text: 'varchar(255)',
  note: 'text',
  // Most readers take 28 digits.
  decimal: 'decimal(28, 9)',
  currency: 'char(3)',
  day: 'date',
  time: 'datetime(3)',
  flag: 'boolean',
}

export const mysqlDialect = createDialect({
  async schema(connection) {
    const [row] = await connection.query('select database() as name')
    return { name: String(row?.name), exists: true }
  },
  quote,
  tableAt: (_, name) => quote(name),
  types: TYPES,
  bookedAt: 'datetime(3) not null',
  addColumn: 'add column',
  tableEnd: ' engine = InnoDB default charset = utf8mb4',
  among: ['in (?)', 'in (?)'],
  schemaIs: 'table_schema = ?',
  // Without a unique key a repeat would add a row.
  keyColumn: 'column_key',
  onSameKey(columns) {
    const set = columns.map((name) =>
      // Another unique index must not overwrite another record: a null key fails.
      name === 'booking_key'
        ? '`booking_key` = if(`booking_key` = values(`booking_key`), `booking_key`, null)'
        : `${quote(name)} = values(${quote(name)})`,
    )
    return `on duplicate key update ${set.join(', ')}`
  },
  async write(connection, { columns }, at, rows, end) {
    const names = columns.map(({ name }) => quote(name)).join(', ')
    const begin = `insert into ${at} (${names}, \`booked_at\`) values `
    const capacity = connection.longestStatement - begin.length - end.length
    let tuples: string[] = []
    let length = 0
    const send = async () => {
      if (tuples.length > 0) await connection.query(`${begin}${tuples.join(',')} ${end}`)
      tuples = []
      length = 0
    }
    for (const row of rows) {
      const tuple = `(${row.map((value) => mysql.escape(value)).join(',')},utc_timestamp(3))`
      if (length + tuple.length >= capacity) await send()
      tuples.push(tuple)
      length += tuple.length + 1
    }
    await send()
  },
  faultOf: mysqlFailure,
})

function quote(name: string): string {
  return `\`${name}\``
}

const LONGEST = 1_000_000

export function mysqlConnect(address: SqlAddress, timeout: number): Connect {
  const { host, port, user, password, database, tls } = address
  return connectOver(address, (socket) => {
    const driver = mysql.createConnection({
      host,
      port,
      user,
      password,
      database,
      charset: 'utf8mb4',
      connectTimeout: timeout,
      stream: () => {
        socket.open()
        return socket
      },
      // Values are filled in already.
      queryFormat: (statement: string) => statement,
      ...(tls !== 'off' && { ssl: { rejectUnauthorized: tls === 'checked', verifyIdentity: tls === 'checked' } }),
    })
    // Without a listener an idle connection's end would crash the process.
    driver.on('error', () => socket.destroy())
    return {
      async start() {
        await new Promise<void>((resolve, reject) => {
          driver.connect((error) => (error ? reject(error) : resolve()))
        })
        for (const statement of settings(timeout)) await ask(driver, statement)
        const [row] = await ask(driver, 'select @@max_allowed_packet as bytes')
        // Half: characters.
        return Math.min(LONGEST, Number(row?.bytes) / 2 || LONGEST)
      },
      query: (statement, values) => ask(driver, values ? filled(statement, values) : statement),
      end: () => new Promise<void>((resolve) => driver.end(() => resolve())),
    }
  })
}

/** Too long values are refused, not cut; `\\` escapes, as the driver does; no gap locks. */
function settings(timeout: number): string[] {
  const seconds = Math.ceil(timeout / 1_000)
  return [
    `set session sql_mode = 'TRADITIONAL', session innodb_lock_wait_timeout = ${seconds}, session lock_wait_timeout = ${seconds}`,
    'set session transaction isolation level read committed',
  ]
}

function filled(statement: string, values: readonly unknown[]): string {
  let index = 0
  return statement.replace(/\?/g, () => mysql.escape(values[index++] as string | string[]))
}

function ask(driver: mysql.Connection, statement: string): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    driver.query(statement, (error: Error | null, rows: unknown) => {
      if (error) reject(error)
      else resolve(Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [])
    })
  })
}

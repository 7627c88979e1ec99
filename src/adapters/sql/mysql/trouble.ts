import { type Trouble, unanswered } from '../trouble.ts'

type Kind = Trouble['kind']

/** Error numbers of the server (those of MariaDB and MySQL are the same, but for 4025, 1927 and 1969). */
const NUMBERS: ReadonlyMap<number, Kind> = new Map(
  (
    [
      // 3159: it wants TLS of everybody.
      ['login', [1045, 1129, 1130, 1698, 1820, 1862, 3118, 3159, 3955, 4151]],
      ['no-database', [1049]],
      ['rights', [1044, 1142, 1143, 1227, 1370]],
      // Too many connections, out of memory or disk, shutting down, read-only.
      ['busy', [1021, 1037, 1038, 1040, 1041, 1053, 1114, 1203, 1226, 1290, 1792, 1836, 3032, 3100]],
      // Deadlock, lock, a statement that was ended.
      ['conflict', [1205, 1213, 1317, 1613, 1614, 1969, 3024, 3572]],
      ['missing', [1054, 1146]],
      ['exists', [1050, 1060]],
      [
        'data',
        [1048, 1062, 1169, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1406, 1411, 1451, 1452, 1526, 1644, 3819, 4025],
      ],
      ['size', [1118, 1153, 1301]],
      // The connection was ended by somebody.
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

/** Names stand in the server's words besides values, so they are taken from where only names stand. */
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

/** Codes of the driver, about a login. */
const LOGIN = ['AUTH_SWITCH_PLUGIN_ERROR', 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED']

export function mysqlTrouble(error: unknown): Trouble {
  const { errno, sqlState, sqlMessage, code } = error as Partial<Record<string, unknown>>
  if (typeof errno !== 'number' || errno < 1_000) {
    const trouble = unanswered(error)
    return LOGIN.includes(String(code)) ? { ...trouble, kind: 'login' } : trouble
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

import { type Trouble, unanswered } from '../trouble.ts'

type Kind = Trouble['kind']

/** SQLSTATEs of the server; the classes below are for those that are not here. */
const CODES: Readonly<Record<string, Kind>> = {
  '25006': 'busy', // read-only
  '25P03': 'conflict', // idle in a transaction for too long
  '40001': 'conflict',
  '40P01': 'conflict',
  '42501': 'rights',
  '42P01': 'missing',
  '42701': 'exists',
  '42703': 'missing',
  '42P06': 'exists',
  '42P07': 'exists',
  '3F000': 'no-database',
  '54000': 'size',
  '55P03': 'conflict', // a lock
  '57014': 'conflict', // a statement that took too long
}

const CLASSES: Readonly<Record<string, Kind>> = {
  '08': 'unreachable',
  '22': 'data',
  '23': 'data',
  '28': 'login',
  '3D': 'no-database',
  '42': 'statement',
  '44': 'data',
  '53': 'busy',
  '57': 'busy',
  '58': 'busy',
  P0: 'data', // a trigger of the operator's own
}

/** The classes of a transaction that is undone. */
const CERTAIN = /^(22|23|40(?!003)|44|P0)/

/** Words of the driver itself about a login. */
const LOGIN = /^SASL: |password must be a string/i

export function postgresTrouble(error: unknown): Trouble {
  const { code, column, constraint, table, message } = error as Partial<Record<string, string>>
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) {
    const trouble = unanswered(error)
    return LOGIN.test(message ?? '') ? { ...trouble, kind: 'login', code: 'SASL' } : trouble
  }
  // Two that make the same table at once: one of them meets a unique index of the server's own.
  const isOwn = code === '23505' && constraint?.startsWith('pg_')
  return {
    kind: isOwn ? 'exists' : (CODES[code] ?? CLASSES[code.slice(0, 2)] ?? 'other'),
    code,
    about: column ?? constraint ?? table ?? null,
    words: null,
    certain: CERTAIN.test(code),
  }
}

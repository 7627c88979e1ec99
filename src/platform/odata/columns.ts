import { UserError } from '../../domain/values/errors.ts'
import type { WireRecord } from '../http/read.ts'

/**
 * Columns about customers and sellers, on every sales line unless `$select` leaves them out. They are never asked for, and
 * taken out again where they come all the same.
 */
const PERSONAL_COLUMNS = [
  'CUSTOMERID_FK',
  'FirstName',
  'LastName',
  'Email',
  'Phone',
  'Address',
  'PostalCode',
  'City',
  'CountryCode',
  'CompanyName',
  'OrgNum',
  'IsCompany',
  'CustomerGender',
  'AgreedSendEmail',
  'AgreedSendSMS',
  'BonusBalance',
  'BonusFactor',
  'BonusTotal',
  'SaleBonusFactor',
  'PERSONID_FK',
  'Employee',
]

const personal = new Set(PERSONAL_COLUMNS.map((name) => name.toLowerCase()))

/**
 * The columns to ask for: those that the reader needs, then the others, each once. Throws a UserError that names a column
 * that is personal, or that is no name.
 */
export function columnsOf(needed: readonly string[], others: readonly string[]): string[] {
  const columns = new Map<string, string>()
  for (const name of [...needed, ...others]) {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new UserError(`select: ${JSON.stringify(name)} is not the name of a column.`)
    if (isPersonal(name))
      throw new UserError(`select: ${name} holds personal data, which this client does not read. Leave it out.`)
    if (!columns.has(name.toLowerCase())) columns.set(name.toLowerCase(), name)
  }
  return [...columns.values()]
}

/** Gives a row with the columns that were asked for (null: with all), and without personal ones. */
export function createStrip(columns: readonly string[] | null): (row: WireRecord) => WireRecord {
  const wanted = columns && new Set(columns.map((name) => name.toLowerCase()))
  const known = new Map<string, boolean>()
  const stays = (name: string) => {
    const found = known.get(name) ?? (!isPersonal(name) && (!wanted || wanted.has(name.toLowerCase())))
    known.set(name, found)
    return found
  }
  return (row) => {
    const names = Object.keys(row)
    // As it should be: a copy of each of 40,000 rows would take as much memory again.
    if (names.every(stays)) return row
    return Object.fromEntries(names.filter(stays).map((name) => [name, row[name]]))
  }
}

function isPersonal(name: string): boolean {
  return personal.has(name.toLowerCase())
}

import pg from 'pg'
import { StoreUnavailableError, UserError } from '../../domain/values/errors.ts'
import { type Address, readAddress } from '../postgres/server/address.ts'
import { asStoreError } from '../postgres/server/unavailable.ts'
import { CopyError, type CopyOptions, type CopyReport } from './report.ts'
import { openSource, type Source } from './source.ts'
import { COPIED_TABLES } from './tables.ts'
import { type Copied, openTarget, type Target } from './target.ts'

const LOCK_TIMEOUT = 10_000

/** The part of `copyStore` that needs PostgreSQL. */
export async function copyFile(file: string, options: CopyOptions): Promise<CopyReport> {
  const { to, lockTimeout = LOCK_TIMEOUT, startThread } = options
  const address = addressOf(to)
  await using target = await plainly(address, () => openTarget(address, lockTimeout))
  using source = await openSource(file, startThread)
  let left = 'Nothing of it is there: type the same again.'
  try {
    const tables = await fill(source, target, options)
    await target.complete()
    left = 'Whether the copy is there cannot be told from here: type the same again, which is refused if it is.'
    await target.commit()
    return { file, server: address.server, schema: address.schema, tables }
  } catch (error) {
    throw new CopyError(`The copy was broken off: ${wordsOf(error, address)} ${left}`, { cause: error })
  }
}

/** Copies all tables, and reads them back. */
async function fill(
  source: Source,
  target: Target,
  { progress = () => {} }: CopyOptions,
): Promise<CopyReport['tables']> {
  const counts = COPIED_TABLES.map(({ name }) => source.count(name))
  const of = counts.reduce((sum, count) => sum + count, 0)
  let done = 0
  progress({ doing: 'copying', done, of })
  const copied: Copied[] = []
  for (const table of COPIED_TABLES)
    copied.push(
      await target.fill(table, source.rows(table), (rows) => {
        done += rows
        progress({ doing: 'copying', done, of })
      }),
    )
  done = 0
  const report: CopyReport['tables'] = []
  const differences: string[] = []
  for (const [index, table] of COPIED_TABLES.entries()) {
    const { name } = table
    const read = await target.read(table)
    const sent = copied[index]
    // The count uses another index than the read: in a damaged file they may differ.
    const file = counts[index] ?? 0
    if (read.rows !== file) differences.push(`PostgreSQL has ${read.rows} of ${file} rows of ${name}`)
    else if (read.digest !== sent?.digest) differences.push(`of ${name}, PostgreSQL has other rows than the file`)
    report.push({ table: name, file, postgres: read.rows, equal: true })
    done += read.rows
    progress({ doing: 'verifying', done, of })
  }
  if (differences.length > 0) throw new Error(`The copy is not what the file is: ${differences.join('; ')}`)
  return report
}

function addressOf(to: string): Address {
  try {
    return readAddress(to)
  } catch (error) {
    if (error instanceof UserError) throw new UserError(error.message.replace('store.url:', '--to:'))
    throw error
  }
}

/** Before anything has begun, errors are the operator's. */
async function plainly<T>(address: Address, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const plain = asStoreError(error, address.server)
    if (plain instanceof StoreUnavailableError || plain instanceof pg.DatabaseError)
      throw new UserError(wordsOf(error, address), { cause: error })
    throw plain
  }
}

function wordsOf(error: unknown, { server }: Address): string {
  const plain = asStoreError(error, server)
  if (plain instanceof pg.DatabaseError)
    return `PostgreSQL at ${server} refuses: ${plain.message}${plain.where ? ` (${plain.where})` : ''}.`
  const message = plain instanceof Error ? plain.message : String(plain)
  return message.endsWith('.') ? message : `${message}.`
}

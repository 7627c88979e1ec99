import pg from 'pg'
import { StoreUnavailableError, UserError } from '../../domain/values/errors.ts'
import { type Address, readAddress } from '../postgres/server/address.ts'
import { asStoreError } from '../postgres/server/unavailable.ts'
import { CopyError, type CopyReport, type CopyStep } from './report.ts'
import { openSource, type Source } from './source.ts'
import { COPIED_TABLES } from './tables.ts'
import { openTarget, type Target } from './target.ts'

/*
 * All of it is one transaction. PostgreSQL has no price for that, however many rows there are: they are written where they
 * will stay, and the commit is one record. What is broken off (Ctrl-C, a lost connection, a full disk) leaves nothing, and
 * no mark of "half" that hubs would have to know. To go on in the middle would save a quarter of an hour in ten million
 * events.
 */

/** The part of `copyStore` that needs PostgreSQL. */
export async function copyFile(file: string, to: string, progress: (step: CopyStep) => void): Promise<CopyReport> {
  const address = addressOf(to)
  await using target = await begin(address)
  using source = await openSource(file)
  let committing = false
  try {
    const tables = await copyTables(source, target, progress)
    await target.complete()
    committing = true
    await target.commit()
    return { file, server: address.server, schema: address.schema, tables }
  } catch (error) {
    const now = committing
      ? 'Whether the copy is there cannot be told from here: run the command again, which is refused if it is.'
      : 'Nothing was copied: PostgreSQL has none of it, and the file all of it.'
    throw new CopyError(`The copy was broken off: ${wordsOf(error, address)} ${now}`, { cause: error })
  }
}

async function copyTables(
  source: Source,
  target: Target,
  progress: (step: CopyStep) => void,
): Promise<CopyReport['tables']> {
  const counts = COPIED_TABLES.map((table) => ({ table, file: source.count(table.name) }))
  const of = counts.reduce((sum, { file }) => sum + file, 0)
  let done = 0
  const told = (rows: number) => {
    done += rows
    progress({ doing: 'copying', done, of })
  }
  told(0)
  for (const table of COPIED_TABLES) await target.fill(table, source.rows(table.select), told)
  const tables: CopyReport['tables'] = []
  for (const { table, file } of counts) {
    progress({ doing: 'finishing', done: tables.length, of: counts.length })
    tables.push({ table: table.name, file, postgres: await target.count(table) })
  }
  const differing = tables.filter(({ file, postgres }) => file !== postgres)
  if (differing.length === 0) return tables
  const words = differing.map(({ table, file, postgres }) => `PostgreSQL has ${postgres} of ${file} rows of ${table}`)
  throw new Error(words.join(', '))
}

function addressOf(to: string): Address {
  try {
    return readAddress(to)
  } catch (error) {
    if (error instanceof UserError) throw new UserError(error.message.replace('store.url:', '--to:'))
    throw error
  }
}

/** Where it cannot even begin, that is for the person who gave the address. */
async function begin(address: Address): Promise<Target> {
  try {
    return await openTarget(address)
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

import pg from 'pg'
import { StoreUnavailableError, UserError } from '../../domain/values/errors.ts'
import type { StartThread } from '../../lib/thread.ts'
import { type Address, readAddress } from '../postgres/server/address.ts'
import { asStoreError } from '../postgres/server/unavailable.ts'
import type { Most } from './binary-rows.ts'
import { takeFingerprint } from './fingerprint.ts'
import { type CopyBegun, CopyError, type CopyReport, type CopyStep, DifferenceError } from './report.ts'
import type { Slice } from './slices.ts'
import { openSource, type Source } from './source.ts'
import { COPIED_TABLES } from './tables.ts'
import { openTarget, type Target } from './target.ts'
import type { Unfinished } from './unfinished.ts'
import { verify } from './verifying.ts'

/*
 * Tables are copied in slices. Each is one commit, with a note of how far it reaches and what its rows amount to in a hash: what
 * is broken off goes on behind the last. Then all is read back, hashed and compared, and the transaction in which that happens
 * is the one that lets hubs in (docs/adr/0007-postgres-store.md).
 */

/** What may be set for tests; the rest of the house takes what is here. */
export interface Limits extends Most {
  /** How long others may keep the schema before they count as working there (milliseconds). */
  wait: number
}

/** Seconds of work at most are done again after a break; beside them, the four answers of the server that a slice takes are nothing. */
const LIMITS: Limits = { rows: 250_000, bytes: 64 * 1024 * 1024, wait: 10_000 }

export interface Listening {
  progress(step: CopyStep): void
  begun(begun: CopyBegun): void
}

/** The part of `copyStore` that needs PostgreSQL. */
export async function copyFile(
  file: string,
  to: string,
  { progress, begun }: Listening,
  limits: Partial<Limits>,
  startThread?: StartThread,
): Promise<CopyReport> {
  const address = addressOf(to)
  const { wait, ...most } = { ...LIMITS, ...limits }
  await using target = await plainly(address, () => openTarget(address, most, wait))
  using source = await openSource(file, startThread)
  const fingerprint = await takeFingerprint(file, (done, of) => progress({ doing: 'reading', done, of }))
  await plainly(address, () => target.begin(fingerprint))
  const { unfinished } = target
  const known = unfinished?.of.hash === fingerprint.hash ? unfinished.slices : null
  let now =
    'What was copied so far stays there: type the same again, and it goes on behind it. Until then no hub works on it.'
  try {
    const counts = new Map(COPIED_TABLES.map(({ name }) => [name, source.count(name)]))
    const of = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const there = [...(known?.values() ?? [])].flat().reduce((sum, { rows }) => sum + rows, 0)
    begun({ there, of, dropped: unfinished && !known ? unfinished.of.path : null })
    const slices = await fill(source, target, known, of - there, progress)
    for (const [index, table] of COPIED_TABLES.entries()) {
      progress({ doing: 'finishing', done: index, of: COPIED_TABLES.length })
      await target.analyze(table)
    }
    await target.hold()
    const tables = await verify(target, slices, counts, (done) => progress({ doing: 'verifying', done, of }))
    await target.complete()
    now = 'Whether the copy is there cannot be told from here: type the same again, which is refused if it is.'
    await target.commit()
    return { file, server: address.server, schema: address.schema, tables }
  } catch (error) {
    if (error instanceof DifferenceError)
      throw new CopyError(
        `The copy is not what the file is: ${error.message}. Somebody else wrote to the schema ${address.schema}, or a disk has lost something: drop the schema, and copy once more.`,
        { cause: error },
      )
    throw new CopyError(`The copy was broken off: ${wordsOf(error, address)} ${now}`, { cause: error })
  }
}

/** Copies what is not there yet. All slices, table by table. */
async function fill(
  source: Source,
  target: Target,
  known: Unfinished['slices'] | null,
  of: number,
  progress: (step: CopyStep) => void,
): Promise<Map<string, Slice[]>> {
  let done = 0
  const told = (rows: number) => {
    done += rows
    progress({ doing: 'copying', done, of })
  }
  told(0)
  const all = new Map<string, Slice[]>()
  for (const table of COPIED_TABLES) {
    const slices = [...(known?.get(table.name) ?? [])]
    all.set(table.name, slices)
    for (;;) {
      const last = slices.at(-1)
      if (last && last.upTo === null) break
      slices.push(await target.fill(table, slices.length, source.rows(table, last?.upTo ?? null), told))
    }
  }
  return all
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

import { StringDecoder } from 'node:string_decoder'
import { stringify } from 'csv-stringify/sync'
import {
  type BackOfficePort,
  type Batch,
  type BatchItem,
  type BatchResult,
  BOOKING_NAMES,
  type BookingName,
  type Bookings,
  choice,
  type Decimal,
  defineAdapter,
  type Effect,
  type FoundFiles,
  foldBytes,
  folded,
  type GivenRecord,
  type HealthFinding,
  type Instant,
  keyOfFirst,
  kindOf,
  PermanentError,
  pluralize,
  type Reconciled,
  type RecordKind,
  RetryLaterError,
  Text,
} from 'tillbridge/adapter'
import {
  type FileEntry,
  type Files,
  FilesError,
  isFault,
  lettingIn,
  openFolder,
  probeFolder,
  SftpOptions,
  type Transport,
} from 'tillbridge/adapter/files'
import { z } from 'zod'
import { isWaiting } from './claims.ts'
import { createFilesIntake } from './intake.ts'
import {
  type CsvOptions,
  type Layout,
  type NamedBy,
  PLACEHOLDERS,
  ReadOptions,
  rowsAt,
  type Source,
  WriteOptions,
  type WrittenColumn,
} from './options.ts'
import { createOutbox, folderError, type Outbox } from './outbox.ts'

const FilesOptions = z
  .strictObject({
    folder: Text.optional().describe('Path of a folder of this machine, or of a share that is mounted here.'),
    mode: choice('0600', '0640', '0660', '0644', '0664').describe(
      'With folder: who may read what the hub writes there. 0600, the default: the user that the hub runs as; 0640: its group as well; 0660: its group may change it, too; 0644 and 0664: everybody on the machine may read it.',
    ),
    sftp: SftpOptions.optional().describe('A folder of an SFTP server, in place of one of this machine.'),
    write: WriteOptions.optional().describe(
      'What is written, by kind of record, and how. What is left out is not written here.',
    ),
    read: ReadOptions.optional().describe('What is read, by resource of /v1: files that the system puts there.'),
  })
  .superRefine(({ folder, mode, sftp, write, read }, context) => {
    if ((folder === undefined) === (sftp === undefined))
      context.addIssue({ code: 'custom', path: ['folder'], message: 'Give either folder or sftp.' })
    if (sftp && mode !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['mode'],
        message: 'Is for folder: the server of sftp gives rights itself.',
      })
    if (!write && !read) context.addIssue({ code: 'custom', path: ['write'], message: 'Give write, read, or both.' })
  })

type FilesOptions = z.output<typeof FilesOptions>

export default defineAdapter({
  name: 'files',
  options: FilesOptions,
  create(options, { destination, concurrency, timeout, allowPrivate }) {
    const transport = openFolder(options, { connections: concurrency, timeout, allowPrivate })
    const { write, read } = options
    const backOffice = write ? createBackOffice(write, transport, destination) : null
    return {
      // A local process that died wrote nothing more; a server may still complete a write.
      ...(options.folder !== undefined && { inDoubtFor: 0 }),
      ports: backOffice ? { backOffice: backOffice.port } : {},
      ...(read && { intake: createFilesIntake(read, transport, destination) }),
      search: (texts, signal) => searchFolder(transport, texts, signal),
      healthCheck: ({ signal }) => checkFolders(options, { transport, destination, signal }),
      async [Symbol.asyncDispose]() {
        await backOffice?.[Symbol.asyncDispose]()
        await transport[Symbol.asyncDispose]()
      },
    }
  },
})

async function checkFolders(
  options: FilesOptions,
  { transport, destination, signal }: { transport: Transport; destination: string; signal: AbortSignal },
): Promise<HealthFinding[]> {
  const reads = Map.groupBy(options.read ?? [], ({ folder }) => folder)
  const written: [string, Source[]][] = options.write ? [['', []]] : []
  try {
    return await transport.use(signal, async (files) => {
      const found: HealthFinding[] = options.sftp ? lettingIn(options.sftp) : []
      for (const [path, sources] of new Map([...written, ...reads]))
        found.push(await lookAtFolder(files, path, { name: path === '' ? transport.where : path, sources }))
      return found
    })
  } catch (error) {
    throw folderError(error, `${destination}: ${transport.where}`)
  }
}

async function lookAtFolder(
  files: Files,
  path: string,
  { name, sources }: { name: string; sources: readonly Source[] },
): Promise<HealthFinding> {
  const what = `folder ${name}`
  const absent: HealthFinding = {
    what,
    state: 'problem',
    says: 'It is not there.',
    todo: 'make it, or name another one in config.',
  }
  async function look(): Promise<string[] | HealthFinding> {
    if (sources.length === 0) return ['It can be written to.']
    const entries = (await files.list(path)).filter((entry) => sources.some(({ matches }) => matches(entry.name)))
    const unnameable = entries.filter(({ isUnnameable }) => isUnnameable)
    if (unnameable.length > 0)
      return {
        what,
        state: 'problem',
        says: `Names there have bytes that are no UTF-8: ${unnameable.map(({ name }) => name).join(', ')}. These files are not read.`,
        todo: 'rename them there.',
      }
    const waiting = pluralize(entries.filter(isWaiting).length, 'file waits', 'files wait')
    return ['It can be read and written to.', `${waiting} there.`]
  }
  return await probeFolder(files, path, { what, absent, look })
}

const LARGEST = 256 * 1024 * 1024
const DEEPEST = 16

/** Files that contain one of these texts, in UTF-8 or Latin 1. What cannot be read is named. */
async function searchFolder(transport: Transport, texts: readonly string[], signal: AbortSignal): Promise<FoundFiles> {
  const found: FoundFiles = { saying: [], unread: [] }
  const wanted = texts.flatMap((text) =>
    (['utf8', 'latin1'] as const).map((encoding) => Buffer.from(folded(text), encoding)),
  )
  const overlap = Math.max(0, ...wanted.map(({ byteLength }) => byteLength))
  const shown = (path: string) => `${transport.where}/${path}`
  try {
    await transport.use(signal, (files) => walk(files, '', 0))
  } catch (error) {
    if (!(error instanceof FilesError)) throw error
    found.unread.push(transport.where)
  }
  return found

  async function walk(files: Files, folder: string, depth: number): Promise<void> {
    for (const entry of await files.list(folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isUnnameable) found.unread.push(shown(path))
      else if (entry.type === 'file') await look(files, entry, path)
      else if (entry.type === 'folder' && depth < DEEPEST) await walk(files, path, depth + 1).catch(unreadAt(path))
      else if (entry.type === 'folder') found.unread.push(shown(path))
    }
  }

  async function look(files: Files, { size }: FileEntry, path: string): Promise<void> {
    if (size > LARGEST) return void found.unread.push(shown(path))
    if (await saysOne(files, path).catch(unreadAt(path))) found.saying.push(shown(path))
  }

  async function saysOne(files: Files, path: string): Promise<boolean> {
    let end = Buffer.alloc(0)
    for await (const piece of files.read(path)) {
      const bytes = foldBytes(Buffer.concat([end, piece]))
      if (wanted.some((one) => bytes.includes(one))) return true
      end = bytes.subarray(Math.max(0, bytes.byteLength - overlap))
    }
    return false
  }

  function unreadAt(path: string): (error: unknown) => false {
    return (error) => {
      if (!(error instanceof FilesError) || error.fault === 'aborted') throw error
      if (error.fault !== 'missing') found.unread.push(shown(path))
      return false
    }
  }
}

type Rows = unknown[][] | { whole: Record<string, unknown> }

export function rowsOf(layout: Layout, method: BookingName, record: Bookings[BookingName], key: string): Rows {
  const { columns, rows } = layout
  if (!columns) return { whole: { key, ...record } }
  const view = viewOf(method, record, key)
  const list = rows === null ? [null] : rowsAt(view, rows)
  const each = list.length === 0 ? [null] : list
  return each.map((row, index) => columns.map((column) => column.read({ view, row, number: index + 1 })))
}

function viewOf(method: BookingName, record: Bookings[BookingName], key: string): Record<string, unknown> {
  const view = { key, ...record }
  return method === 'bookSettlement' ? { ...view, entries: entriesOf(record as Bookings['bookSettlement']) } : view
}

/** Debit and credit, neither below 0; without accounts, payments by means. */
function entriesOf({ journal, settlement }: Bookings['bookSettlement']): Record<string, string | null>[] {
  if (journal)
    return journal.lines.map(({ amount, ...line }) => ({
      ...line,
      ...bothSides(amount.amount),
      currency: amount.currency,
    }))
  return (settlement.payments ?? []).map(({ type, subType, amount: { amount, currency } }) => ({
    account: null,
    text: [type, subType].filter(Boolean).join(' '),
    ...bothSides(amount),
    currency,
    vatRate: null,
  }))
}

function bothSides(amount: Decimal) {
  return amount.startsWith('-')
    ? { amount, debit: null, credit: amount.slice(1) }
    : { amount, debit: amount, credit: null }
}

export function contentOf({ format, columns, csv }: Layout, records: readonly Rows[]): Buffer {
  // CSV always has columns.
  if (format === 'csv')
    return csvOf(
      columns ?? [],
      records.flatMap((rows) => ('whole' in rows ? [] : rows)),
      csv,
    )
  const objects = records.flatMap((rows) => {
    if ('whole' in rows) return [rows.whole]
    return rows.map((row) => Object.fromEntries((columns ?? []).map(({ header }, index) => [header, row[index]])))
  })
  const lines = objects.map((object) => JSON.stringify(object))
  return Buffer.from(format === 'ndjson' ? lines.map((line) => `${line}\n`).join('') : `[\n${lines.join(',\n')}\n]\n`)
}

const DECIMAL = /^-?\d+(\.\d+)?$/

function csvOf(columns: readonly WrittenColumn[], rows: readonly (readonly unknown[])[], options: CsvOptions): Buffer {
  const { delimiter, quote, bom, header, decimal, lineEnd, guardFormulas = bom } = options
  const cells = rows.map((row) => row.map((value, index) => cellOf(value, columns[index]?.type === 'decimal', decimal)))
  const text = stringify(header ? [columns.map((column) => column.header), ...cells] : cells, {
    delimiter,
    record_delimiter: lineEnd === 'crlf' ? '\r\n' : '\n',
    quoted: quote === 'always',
    quoted_empty: quote === 'always',
    escape_formulas: guardFormulas,
    cast: {
      object: (value) => ({ value: (value as unknown as { belowZero: string }).belowZero, escape_formulas: false }),
    },
  })
  return Buffer.from(bom ? `\ufeff${text}` : text)
}

function cellOf(value: unknown, isDecimal: boolean, point: CsvOptions['decimal']) {
  if (value === null || value === undefined) return null
  const text = String(value)
  if (!isDecimal || !DECIMAL.test(text)) return text
  const number = point === ',' ? text.replace('.', ',') : text
  return number.startsWith('-') ? { belowZero: number } : number
}

const LONGEST_NAME = 100
const LONGEST_VALUE = 1_000

export function fileName(template: string, values: NamedBy): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const field = PLACEHOLDERS[name]?.find((one) => (values[one] ?? null) !== null)
    const value = (field === undefined ? null : values[field]) ?? ''
    const plain = value.slice(0, LONGEST_VALUE).normalize('NFKD').replace(/\p{M}/gu, '')
    // The look back keeps it linear on foreign text.
    return plain.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '') || 'none'
  })
  return filled
    .slice(0, LONGEST_NAME)
    .replace(/^\./, '_')
    .replace(/(?<!\.)\.+$/, '')
}

type Item = BatchItem<Bookings[BookingName]>

/** A kind of record, and how it is written. */
interface Written {
  method: BookingName
  kind: RecordKind
  layout: Layout
}

interface Entry {
  item: Item
  base: string
  rows: Rows
}

export function createBackOffice(
  write: WriteOptions,
  transport: Transport,
  destination: string,
  now: () => number = Date.now,
): AsyncDisposable & { port: BackOfficePort } {
  const outbox = createOutbox(transport, now)
  const errorOf = (error: unknown) => folderError(error, `${destination}: ${transport.where}`)

  /** Records of one file name share a file. */
  async function book({ method, kind, layout }: Written, batch: readonly Item[]): Promise<BatchResult> {
    const [first] = batch
    if (!first) return []
    const results = new Map<Item, Effect | Error>()
    const entries = batch.flatMap((item): Entry | [] => {
      const key = keyOfFirst(item.attempt.key)
      try {
        const base = fileName(layout.name, { ...item.argument, kind, key })
        return { item, base, rows: rowsOf(layout, method, item.argument, key) }
      } catch (cause) {
        const why = cause instanceof PermanentError ? cause.message : 'it is not as it should be'
        const message = `${destination}: this record cannot be written: ${why}`
        results.set(item, new PermanentError(message, { code: 'bad-record', cause }))
        return []
      }
    })
    let fault: Error | null = null
    for (const [base, together] of Map.groupBy(entries, (entry) => entry.base)) {
      let result: Effect | Error | null = fault
      try {
        const keys = together.map(({ item }) => item.attempt.key)
        const all = together.map(({ rows }) => rows)
        const content = { base, extension: layout.format, bytes: contentOf(layout, all), keys }
        result ??= { note: `in ${await outbox.put(content, first.attempt.signal)}` }
      } catch (error) {
        result = errorOf(error)
      }
      if (result instanceof RetryLaterError) fault = result
      for (const { item } of together) results.set(item, result)
    }
    return batch.map((item) => results.get(item) as Effect | Error)
  }

  const fail = (error: unknown) => {
    throw errorOf(error)
  }

  const methods = BOOKING_NAMES.flatMap((method) => {
    const kind = kindOf(method)
    const layout = write[kind]
    if (!layout) return []
    return [[method, (batch: Batch<Bookings[BookingName]>) => book({ method, kind, layout }, batch)] as const]
  })
  return {
    port: {
      ...(Object.fromEntries(methods) as BackOfficePort),
      reconcile: (given, { signal }) => transport.use(signal, (files) => talliedIn(files, outbox, given)).catch(fail),
      async find({ key, firstTriedAt, signal }) {
        const name = await outbox.find(key, firstTriedAt, signal).catch(fail)
        return name === null ? null : { note: `in ${name}` }
      },
    },
    [Symbol.asyncDispose]: () => outbox[Symbol.asyncDispose](),
  }
}

const DAY = 24 * 60 * 60_000

/** Records are retried for three days; one more for clock skew. */
const TRIED = 4 * DAY

/** A file that is not there was fetched: unknown. */
async function talliedIn(
  files: Files,
  outbox: Pick<Outbox, 'written'>,
  given: readonly GivenRecord[],
): Promise<Reconciled[]> {
  const since: Instant = Math.min(...given.map(({ givenAt }) => givenAt)) - TRIED
  const keys = given.flatMap((record) => record.keys)
  const written = await outbox.written(files, keys, since)
  const wanted = new Set(keys.map(keyOfFirst))
  const seen = new Map<string, ReadonlySet<string> | null>()
  for (const name of new Set([...written.values()].flat())) seen.set(name, await keysIn(files, name, wanted))
  return given.map((record) => {
    const names = record.keys.flatMap((key) => written.get(key) ?? [])
    return talliedOf(
      keyOfFirst(record.keys[0]),
      names.map((name) => seen.get(name) ?? null),
    )
  })
}

function talliedOf(key: string, all: readonly (ReadonlySet<string> | null)[]): Reconciled {
  if (all.length === 0) return { is: 'unknown', why: 'which file it was written into is not remembered' }
  if (all.some((keys) => keys?.has(key))) return { is: 'there', count: 1, amount: null }
  if (all.includes(null)) return { is: 'unknown', why: 'its file was fetched' }
  return { is: 'lacking', why: 'its file was changed, and has it no more' }
}

const LONGEST = 4_096

async function keysIn(files: Files, name: string, wanted: ReadonlySet<string>): Promise<ReadonlySet<string> | null> {
  const decoder = new StringDecoder('latin1')
  const found = new Set<string>()
  let rest = ''
  try {
    for await (const piece of files.read(name)) {
      const words = (rest + decoder.write(piece)).split(/[^A-Za-z0-9_~\-/%:]+/)
      rest = (words.pop() ?? '').slice(-LONGEST)
      for (const word of words) if (wanted.has(word)) found.add(word)
    }
  } catch (error) {
    if (isFault(error, 'missing')) return null
    throw error
  }
  if (wanted.has(rest)) found.add(rest)
  return found
}

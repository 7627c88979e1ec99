import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createLocalFolder, type Transport } from '../../../src/folders/transport.ts'
import type { IntakeEnd, IntakeItem, IntakePage } from '../../../src/ports/ports.ts'
import { createFilesIntake } from '../src/intake.ts'
import { ReadOptions } from '../src/options.ts'
import { type ErpFolder, openErpFolder } from './kit.ts'

export interface Dropped extends ErpFolder {
  put(path: string, content: string | Uint8Array, writtenAt?: string): void
  /** Files below it that are nobody's secret, by path. */
  files(): Record<string, string>
  hidden(): string[]
}

export function openDropped(): Dropped {
  const folder = openErpFolder()
  const paths = (of: string): string[] =>
    readdirSync(of, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(of, path)).isFile())
      .sort()
  return {
    ...folder,
    put(path, content, writtenAt) {
      const at = join(folder.path, path)
      mkdirSync(dirname(at), { recursive: true })
      writeFileSync(at, content)
      if (writtenAt !== undefined) utimesSync(at, new Date(writtenAt), new Date(writtenAt))
    },
    files: () =>
      Object.fromEntries(
        paths(folder.path)
          .filter((path) => !path.includes('.tillbridge'))
          .map((path) => [path, folder.read(path)]),
      ),
    hidden: () => (existsSync(join(folder.path, '.tillbridge')) ? paths(join(folder.path, '.tillbridge')) : []),
  }
}

/** What the hub knows of an own system's files: it outlives the adapter. */
export interface Memory {
  cursor: string | null
  taken: Map<string, Record<string, unknown>>
}

export function newMemory(): Memory {
  return { cursor: null, taken: new Map() }
}

/** Where a run breaks off, as a hub that dies does. */
export type Stop = 'polled' | 'accepted' | 'reported'

interface RunGiven {
  /** What is wrong with a value; nothing: it is taken. */
  judge?: (item: IntakeItem) => string[]
  /** After so many pages, there; the page that was begun is released. */
  stopAt?: { page: number; at: Stop }
}

interface Run {
  accepted: Record<string, unknown[]>
  duplicates: number
  refused: string[][]
  pages: number
}

export interface Asking extends AsyncDisposable {
  run(given?: RunGiven): Promise<Run>
  poll(cursor: string | null): Promise<IntakePage>
  taken(page: IntakePage, ends: IntakeEnd[]): Promise<void>
}

interface Given {
  memory?: Memory
  transport?: Transport
  elapsed?: () => number
  destination?: string
  signal?: AbortSignal
}

export function openAsking(folder: string, read: Record<string, unknown>, given: Given = {}): Asking {
  const { memory = newMemory(), transport = createLocalFolder(folder), elapsed = () => performance.now() } = given
  const { destination = 'erp' } = given
  const sources = ReadOptions.parse(withoutSettling(read))
  const now = () => Date.parse('2026-11-21T10:15:30Z')
  const intake = createFilesIntake(sources, transport, destination, { now, elapsed })
  const question = { signal: given.signal ?? new AbortController().signal }

  return {
    poll: (cursor) => intake.poll(cursor, question),
    taken: (page, ends) => intake.taken(page, ends, question),
    async run({ judge = () => [], stopAt } = {}) {
      const run: Run = { accepted: {}, duplicates: 0, refused: [], pages: 0 }
      for (let number = 0; ; number++) {
        const stops = (at: Stop) => stopAt?.page === number && stopAt.at === at
        const page = await intake.poll(memory.cursor, question)
        run.pages += 1
        if (stops('polled')) return run
        const ends = page.items.map((item) => take(item, judge, memory, run))
        if (stops('accepted')) return run
        await intake.taken(page, ends, question)
        if (stops('reported')) return run
        memory.cursor = page.cursor
        if (!page.more) return run
      }
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

function take(item: IntakeItem, judge: (item: IntakeItem) => string[], { taken }: Memory, run: Run): IntakeEnd {
  const faults = item.faults ?? judge(item)
  if (faults.length > 0) {
    run.refused.push([...faults])
    return { status: 'refused', faults }
  }
  const key = `${item.resource}/${item.key}`
  if (taken.has(key)) {
    run.duplicates += 1
    return { status: 'duplicate', faults: [] }
  }
  taken.set(key, item.value)
  run.accepted[item.resource] = [...(run.accepted[item.resource] ?? []), item.value]
  return { status: 'accepted', faults: [] }
}

function withoutSettling(read: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(read).map(([name, source]) => [name, { settle: '0s', ...Object(source) }]))
}

export function bytesOf(folder: ErpFolder, path: string): Buffer {
  return readFileSync(join(folder.path, path))
}

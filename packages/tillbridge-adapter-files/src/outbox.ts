import { createHash, randomUUID } from 'node:crypto'
import { asError, type Instant, RetryLaterError, UnknownOutcomeError, utcDay } from 'tillbridge/adapter'
import { type Files, FilesError, isFault, mapConcurrently, readAll, type Transport } from 'tillbridge/adapter/files'
import { z } from 'zod'
import { HIDDEN } from './claims.ts'

/*
 * Writes files that others take away, each exactly once. Their names are made of the idempotency keys of their records.
 *
 * 1. The content is written to `.tillbridge/work/<id>`, and synced.
 * 2. A marker with the keys is renamed to `.tillbridge/keys/<day>/<1|n>.<id>.<file name>`, and synced.
 * 3. The content is renamed into its place. A marker without content in `work` proves that.
 *
 * What ends before 2 is written anew; what ends after it is found by its key and completed.
 */

const WORK = `${HIDDEN}/work`
const KEYS = `${HIDDEN}/keys`
const DAY = 24 * 60 * 60_000

const KEPT = 30 * DAY
const LEFT_BEHIND = DAY
const CONCURRENCY = 16
const PORTION = 160

/** The marker may exist, so the file may appear: look it up. */
class UncertainError extends Error {
  override name = 'UncertainError'
}

interface Content {
  base: string
  extension: string
  bytes: Uint8Array
  keys: readonly string[]
}

interface Marker {
  folder: string
  path: string
  id: string
  name: string
  isOfSeveral: boolean
  /** Where the content is until it is in its place, and the marker before it is one. */
  content: string
  draft: string
}

const Marked = z.object({ bytes: z.int(), keys: z.array(z.string()) })

/** One read of the folders, shared by all calls with one signal. */
interface Look {
  days?: Promise<string[]>
  markers: Map<string, Promise<{ ones: Marker[]; several: Map<string, Marker[]> }>>
  answers: Map<string, boolean>
}

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox(transport: Transport, now: () => Instant) {
  const looks = new WeakMap<AbortSignal, Look>()
  const made = new Set<string>()
  const scanner = createScanner(transport, now)

  async function make(files: Files, folder: string, within: string): Promise<void> {
    if (made.has(folder)) return
    await files.makeFolder(folder)
    await files.sync(within)
    made.add(folder)
  }

  async function prepare(files: Files): Promise<void> {
    if ((await files.stat('')) === null)
      throw new FilesError('missing', 'is not there: make the folder, or name another.')
    await make(files, HIDDEN, '')
    await make(files, WORK, HIDDEN)
    await make(files, KEYS, HIDDEN)
  }

  async function daysIn(files: Files): Promise<string[]> {
    try {
      return (await files.list(KEYS)).map(({ name }) => name)
    } catch (error) {
      // Nothing was written yet, unless the folder itself is missing.
      if (isFault(error, 'missing') && (await files.stat('')) !== null) return []
      throw error
    }
  }

  async function markersOf(files: Files, day: string): Promise<{ ones: Marker[]; several: Map<string, Marker[]> }> {
    const all = await markersIn(files, day)
    const ofSeveral = all.filter(({ isOfSeveral }) => isOfSeveral)
    const read = await mapConcurrently(CONCURRENCY, ofSeveral, (marker) => readMarker(files, marker))
    const several = new Map<string, Marker[]>()
    for (const [index, marker] of ofSeveral.entries())
      for (const key of read[index]?.keys ?? []) {
        const others = several.get(key)
        if (others) others.push(marker)
        else several.set(key, [marker])
      }
    return { ones: all.filter(({ isOfSeveral }) => !isOfSeveral), several }
  }

  /** A day earlier than `since`: clock skew. */
  async function markersWith(files: Files, look: Look, key: string, since: Instant | null): Promise<Marker[]> {
    look.days ??= daysIn(files)
    const first = since === null ? '' : utcDay(since - DAY)
    const found: Marker[] = []
    for (const day of (await look.days).filter((one) => one >= first).sort()) {
      const markers = look.markers.get(day) ?? markersOf(files, day)
      look.markers.set(day, markers)
      const { ones, several } = await markers
      for (const one of ones.filter(({ name }) => name.slice(0, name.lastIndexOf('.')).endsWith(digestOf([key]))))
        if ((await readMarker(files, one))?.keys.includes(key)) found.push(one)
      found.push(...(several.get(key) ?? []))
    }
    return found
  }

  async function find(files: Files, look: Look, key: string, since: Instant | null): Promise<string | null> {
    const found = await markersWith(files, look, key, since)
    const answered = found.find(({ id }) => look.answers.get(id))
    if (answered) return answered.name
    const open = found.filter(({ id }) => !look.answers.has(id))
    // Published files first.
    const done = await Promise.all(open.map((marker) => isPublished(files, marker)))
    for (const marker of [...open.filter((_, index) => done[index]), ...open.filter((_, index) => !done[index])]) {
      const isThere = await isCompleted(files, marker)
      look.answers.set(marker.id, isThere)
      if (isThere) return marker.name
    }
    return null
  }

  return {
    /** Returns the file's name. Throws a FilesError (not written) or an UncertainError (may appear). */
    async put({ base, keys, extension, bytes }: Content, signal: AbortSignal): Promise<string> {
      const name = `${base}-${digestOf(keys)}.${extension}`
      const marker = markerOf(utcDay(now()), `${keys.length === 1 ? '1' : 'n'}.${randomUUID()}.${name}`)
      let mayBeThere = false
      try {
        await transport.use(signal, async (files) => {
          try {
            if (!made.has(KEYS)) await prepare(files)
            await files.create(marker.content, bytes)
            if (!made.has(marker.folder)) await make(files, marker.folder, KEYS)
            await files.create(marker.draft, Buffer.from(JSON.stringify({ bytes: bytes.byteLength, keys })))
            // After a power cut no marker may be without content.
            await files.sync(WORK)
            mayBeThere = true
            await files.rename(marker.draft, marker.path)
            await files.sync(marker.folder)
            await publish(files, marker)
          } catch (error) {
            const isOver = error instanceof FilesError && !isFault(error, 'lost', 'aborted')
            if (isOver && (await isUndone(files, marker))) mayBeThere = false
            throw error
          }
        })
        scanner.scanIfDue()
        return name
      } catch (error) {
        if (isFault(error, 'missing')) made.clear()
        if (!mayBeThere) throw error
        throw new UncertainError(error instanceof FilesError ? error.message : 'failed.', { cause: error })
      }
    },
    /** The file with this key, published now if it was not; null: never written. */
    async find(key: string, since: Instant | null, signal: AbortSignal): Promise<string | null> {
      const look: Look = looks.get(signal) ?? { markers: new Map(), answers: new Map() }
      looks.set(signal, look)
      try {
        return await transport.use(signal, (files) => find(files, look, key, since))
      } catch (error) {
        looks.delete(signal)
        if (isFault(error, 'missing')) made.clear()
        throw error
      }
    },
    async written(files: Files, keys: readonly string[], since: Instant): Promise<Map<string, string[]>> {
      const look: Look = { markers: new Map(), answers: new Map() }
      const names = new Map<string, string[]>()
      for (const key of keys) {
        const published: string[] = []
        for (const marker of await markersWith(files, look, key, since)) {
          const isThere = look.answers.get(marker.id) ?? (await isPublished(files, marker))
          look.answers.set(marker.id, isThere)
          if (isThere) published.push(marker.name)
        }
        names.set(key, [...new Set(published)])
      }
      return names
    },
    [Symbol.asyncDispose]: () => scanner[Symbol.asyncDispose](),
  }
}

async function isUndone(files: Files, marker: Marker): Promise<boolean> {
  try {
    // A failing disk may have moved it all the same.
    if ((await files.stat(marker.path)) !== null && (await files.stat(marker.content)) === null) return false
    for (const path of [marker.path, marker.content, marker.draft]) await files.remove(path)
    return true
  } catch {
    return false
  }
}

async function publish(files: Files, marker: Marker): Promise<void> {
  try {
    await files.rename(marker.content, marker.name)
  } catch (error) {
    // A server that died during a rename has it in both places.
    if (isFault(error, 'exists')) await files.remove(marker.content)
    else if (!isFault(error, 'missing') || !(await isPublished(files, marker))) throw error
  }
  await files.sync('')
  await files.sync(WORK)
}

async function isPublished(files: Files, marker: Marker): Promise<boolean> {
  return (await files.stat(marker.content)) === null && (await files.stat(marker.path)) !== null
}

/** Publishes complete content; removes the marker of incomplete content. */
async function isCompleted(files: Files, marker: Marker): Promise<boolean> {
  const content = await files.stat(marker.content)
  if (content === null) return await isPublished(files, marker)
  const marked = await readMarker(files, marker)
  if (marked?.bytes === content.size) {
    await publish(files, marker)
    return true
  }
  if (await isPublished(files, marker)) return true
  await files.remove(marker.path)
  await files.remove(marker.content)
  return false
}

async function markersIn(files: Files, day: string): Promise<Marker[]> {
  const names = (await files.list(`${KEYS}/${day}`)).map(({ name }) => name)
  return markersAmong(day, names)
}

function markersAmong(day: string, names: readonly string[]): Marker[] {
  return names.filter((name) => MARKER.test(name)).map((name) => markerOf(day, name))
}

const MARKER = /^([1n])\.([0-9a-f-]{36})\.(.+)$/

function markerOf(day: string, text: string): Marker {
  const [, count, id = '', name = ''] = MARKER.exec(text) ?? []
  const folder = `${KEYS}/${day}`
  const content = `${WORK}/${id}`
  return {
    folder,
    path: `${folder}/${text}`,
    id,
    name,
    isOfSeveral: count === 'n',
    content,
    draft: `${content}.marker`,
  }
}

async function readMarker(files: Files, { path }: Marker): Promise<z.output<typeof Marked> | null> {
  try {
    return Marked.parse(JSON.parse(await readAll(files, path)))
  } catch (error) {
    if (error instanceof FilesError && error.fault !== 'missing') throw error
    return null
  }
}

function digestOf(keys: readonly string[]): string {
  return createHash('sha256').update(keys.join('\n')).digest('hex').slice(0, 16)
}

/** Once a day after a write, removes old markers and orphaned content. Their age is counted from the last but one day: the last may be of a clock ahead. */
function createScanner(transport: Transport, now: () => Instant) {
  const stopping = new AbortController()
  let lastAt: Instant | null = null
  let underWay: Promise<void> = Promise.resolve()

  const use = <Result>(work: (files: Files) => Promise<Result>) => transport.use(stopping.signal, work)

  async function remove(paths: readonly string[]): Promise<void> {
    for (let begin = 0; begin < paths.length; begin += PORTION)
      await use((files) =>
        mapConcurrently(CONCURRENCY, paths.slice(begin, begin + PORTION), (path) => files.remove(path)),
      )
  }

  async function scanDay(day: string): Promise<void> {
    const names = (await use((files) => files.list(`${KEYS}/${day}`))).map(({ name }) => name)
    await remove(markersAmong(day, names).map(({ content }) => content))
    await remove(names.map((name) => `${KEYS}/${day}/${name}`))
    await use((files) => files.removeFolder(`${KEYS}/${day}`))
  }

  async function scanWork(days: readonly string[]): Promise<void> {
    const { entries, clock } = await use(async (files) => ({
      entries: await files.list(WORK),
      // By the clock of the other machine.
      clock: (await files.stat(WORK))?.modifiedAt ?? 0,
    }))
    const old = entries.filter(({ modifiedAt }) => modifiedAt < clock - LEFT_BEHIND)
    if (old.length === 0) return
    const marked = new Set<string>()
    for (const day of days) for (const { id } of await use((files) => markersIn(files, day))) marked.add(id)
    await remove(old.filter(({ name }) => !marked.has(name)).map(({ name }) => `${WORK}/${name}`))
  }

  async function scan(): Promise<void> {
    const names = (await use((files) => files.list(KEYS))).map(({ name }) => name)
    const days = names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name)).sort()
    const oldest = utcDay(Math.min(now(), Date.parse(days.at(-2) ?? '') || 0) - KEPT)
    for (const day of days.filter((one) => one < oldest)) await scanDay(day)
    await scanWork(days.filter((one) => one >= oldest))
  }

  return {
    scanIfDue(): void {
      const at = now()
      if (lastAt !== null && at - lastAt < DAY) return
      lastAt = at
      underWay = scan().catch(() => {})
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await underWay
    },
  }
}

export function folderError(error: unknown, where: string): Error {
  if (error instanceof UncertainError)
    return new UnknownOutcomeError(`${where} ${error.message} The file is written, but may not be in its place.`, {
      code: 'uncertain-file',
      cause: error.cause,
    })
  if (error instanceof FilesError)
    return new RetryLaterError(`${where} ${error.message}`, {
      code: `files-${error.fault}`,
      scope: 'destination',
      cause: error,
    })
  return asError(error)
}

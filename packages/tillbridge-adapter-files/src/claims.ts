import { randomBytes } from 'node:crypto'
import { formatInstant, type Instant, type IntakeLine } from 'tillbridge/adapter'
import { type FileEntry, type Files, FilesError, isFault, readAll } from 'tillbridge/adapter/files'
import { z } from 'zod'
import { RESOURCES, type Source, under } from './options.ts'

export const HIDDEN = '.tillbridge'

function isHidden(name: string): boolean {
  return name.startsWith('.')
}

async function makeFolders(files: Files, from: string, path: string): Promise<void> {
  let folder = from
  for (const name of path.split('/')) {
    folder = under(folder, name)
    await files.makeFolder(folder)
  }
}

export async function namesIn(files: Files, folder: string): Promise<string[]> {
  return (await unlessMissing(files.list(folder), [])).map(({ name }) => name)
}

async function unlessMissing<T, U>(work: Promise<T>, other: U): Promise<T | U> {
  try {
    return await work
  } catch (error) {
    if (isFault(error, 'missing')) return other
    throw error
  }
}

/*
 * In the hidden folder beside the files:
 *
 *   .tillbridge/reading/<destination>.<resource>.<id>/        a file that is being read
 *       <its own name>
 *       .refused.<offset>                                     refused rows of one page
 *   .tillbridge/ended/<destination>.<resource>.<id>.<end>/    a file that is read; moves are left
 *       .end.<end>                                            the plan
 *       .reject.<end>                                         content for the reject folder
 */

function readingFolder({ folder }: Pick<Source, 'folder'>): string {
  return under(folder, HIDDEN, 'reading')
}

function endedFolder({ folder }: Pick<Source, 'folder'>): string {
  return under(folder, HIDDEN, 'ended')
}

const WORK_NAME = /^([a-z][a-z0-9-]*)\.([a-z-]+)\.([0-9a-f]{12})(?:\.([0-9a-f]{12}))?$/

interface WorkName {
  resource: IntakeLine
  id: string
  end: string | null
}

function readWorkName(name: string, destination: string): WorkName | null {
  const [, of, resource, id = '', end = null] = WORK_NAME.exec(name) ?? []
  const known = RESOURCES.find((one) => one === resource)
  return of === destination && known ? { resource: known, id, end } : null
}

function workName(destination: string, { resource, id, end }: WorkName): string {
  return [destination, resource, id, ...(end === null ? [] : [end])].join('.')
}

/** A file in the hidden folder, which no other program writes to or takes from. */
export interface ClaimedFile {
  source: Source
  id: string
  folder: string
  name: string
  path: string
}

const UNFINISHED = /\.(tmp|part|filepart)$/i
const NATURAL = new Intl.Collator('en', { numeric: true })

export async function claimedFile(
  files: Files,
  sources: readonly Source[],
  destination: string,
): Promise<ClaimedFile | null> {
  const claims: ClaimedFile[] = []
  for (const [folder, ofFolder] of Map.groupBy(sources, readingFolder))
    for (const work of await namesIn(files, folder)) {
      const read = readWorkName(work, destination)
      const source = read && ofFolder.find(({ resource }) => resource === read.resource)
      if (!source) continue
      const own = under(folder, work)
      const name = (await namesIn(files, own)).find((one) => !isHidden(one))
      if (name !== undefined) claims.push({ source, id: read.id, folder: own, name, path: under(own, name) })
      else await files.removeFolder(own).catch(() => {})
    }
  const [first] = claims.sort(
    (a, b) => sources.indexOf(a.source) - sources.indexOf(b.source) || NATURAL.compare(a.name, b.name),
  )
  return first ?? null
}

export async function claimNext(
  files: Files,
  sources: readonly Source[],
  destination: string,
  settling: Settling,
  unnameable: (found: Unnameable[]) => void,
): Promise<ClaimedFile | null> {
  const found = await filesFor(files, sources, unnameable)
  settling.look(found)
  for (const { source, entries } of found) {
    const [first] = entries
    // Later files are newer: they wait.
    if (!first || !settling.isSettled(source, first)) continue
    const claim = await claimFile(files, source, first.name, destination)
    if (claim) return claim
  }
  return null
}

async function filesFor(
  files: Files,
  sources: readonly Source[],
  unnameable: (found: Unnameable[]) => void,
): Promise<{ source: Source; entries: FileEntry[] }[]> {
  const lists = new Map<string, FileEntry[]>()
  for (const source of sources) if (!lists.has(source.folder)) lists.set(source.folder, await listed(files, source))
  const matching = (source: Source) => (lists.get(source.folder) ?? []).filter(({ name }) => source.matches(name))
  unnameable(
    sources.flatMap((source) =>
      matching(source).flatMap(({ name, isUnnameable }) => (isUnnameable ? [{ source, name }] : [])),
    ),
  )
  return sources.map((source) => {
    const entries = matching(source).filter(isWaiting)
    return { source, entries: entries.sort((a, b) => NATURAL.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)) }
  })
}

export function isWaiting({ name, type, isUnnameable }: FileEntry): boolean {
  return type === 'file' && !isUnnameable && !isHidden(name) && !UNFINISHED.test(name)
}

export interface Unnameable {
  source: Source
  name: string
}

async function listed(files: Files, { folder, resource }: Source): Promise<FileEntry[]> {
  try {
    return await files.list(folder)
  } catch (error) {
    if (!isFault(error, 'missing') || folder === '') throw error
    throw new FilesError('missing', `has no folder ${folder} (read.${resource}.folder).`, { cause: error })
  }
}

async function claimFile(files: Files, source: Source, name: string, destination: string): Promise<ClaimedFile | null> {
  const id = randomBytes(6).toString('hex')
  const folder = under(readingFolder(source), workName(destination, { resource: source.resource, id, end: null }))
  await makeFolders(files, source.folder, `${HIDDEN}/reading`)
  await files.makeFolder(folder)
  const path = under(folder, name)
  try {
    await files.rename(under(source.folder, name), path)
  } catch (error) {
    await files.removeFolder(folder).catch(() => {})
    // Another hub was quicker, or the writer took it back.
    if (isFault(error, 'missing')) return null
    throw error
  }
  return { source, id, folder, name, path }
}

const End = z.object({ name: z.string(), taken: z.boolean() })
type End = z.output<typeof End>

export interface FileEnd {
  taken: boolean
  reject: Uint8Array | AsyncIterable<Uint8Array> | null
}

/**
 * Archives or rejects a file once, whichever hub dies:
 *
 * 1. The plan and the content for the reject folder are written beside it.
 * 2. Its folder is renamed into the ended ones, which only one hub can do.
 * 3. The moves are made; any hub completes them.
 */
export async function endFile(
  files: Files,
  { source, id, folder, name }: ClaimedFile,
  { taken, reject }: FileEnd,
  destination: string,
  now: Instant,
): Promise<void> {
  const end = randomBytes(6).toString('hex')
  if (reject) await files.create(under(folder, `.reject.${end}`), reject)
  const what: End = { name: await freeName(files, source, name, now), taken }
  await files.create(under(folder, `.end.${end}`), Buffer.from(JSON.stringify(what)))
  await files.sync(folder)
  await makeFolders(files, source.folder, `${HIDDEN}/ended`)
  const to = workName(destination, { resource: source.resource, id, end })
  try {
    await files.rename(folder, under(endedFolder(source), to))
  } catch (error) {
    if (isFault(error, 'missing')) return
    throw error
  }
  await files.sync(endedFolder(source))
  await finish(files, source, to, end)
}

export async function finishEnded(files: Files, sources: readonly Source[], destination: string): Promise<void> {
  for (const [folder, ofFolder] of Map.groupBy(sources, endedFolder))
    for (const name of await namesIn(files, folder)) {
      const read = readWorkName(name, destination)
      const source = read && ofFolder.find(({ resource }) => resource === read.resource)
      if (source && read.end !== null) await finish(files, source, name, read.end)
    }
}

async function finish(files: Files, source: Source, work: string, end: string): Promise<void> {
  const folder = under(endedFolder(source), work)
  const plan = await readEnd(files, under(folder, `.end.${end}`))
  const names = await namesIn(files, folder)
  if (plan) await move(files, source, folder, names, plan, end)
  // The plan goes last: nothing else tells what the rest is.
  for (const name of names.filter((one) => isHidden(one) && !one.startsWith('.end.')))
    await files.remove(under(folder, name))
  for (const name of names.filter((one) => one.startsWith('.end.'))) await files.remove(under(folder, name))
  await unlessMissing(files.removeFolder(folder), null)
}

async function move(
  files: Files,
  source: Source,
  folder: string,
  names: readonly string[],
  { name, taken }: End,
  end: string,
): Promise<void> {
  const archive = under(source.folder, source.archive)
  const reject = under(source.folder, source.reject)
  const file = names.find((one) => !isHidden(one))
  const rejectFile = names.find((one) => one === `.reject.${end}`)
  if (rejectFile || !taken) await makeFolders(files, source.folder, source.reject)
  if (taken) await makeFolders(files, source.folder, source.archive)
  if (rejectFile)
    await moveTo(files, under(folder, rejectFile), under(reject, taken ? name : `${name}.reason.txt`), end)
  if (file) await moveTo(files, under(folder, file), under(taken ? archive : reject, name), end)
  for (const to of [...(taken ? [archive] : []), ...(rejectFile || !taken ? [reject] : [])]) await files.sync(to)
}

/** If it is not there, another hub moved it. A file put there since stays. */
async function moveTo(files: Files, from: string, to: string, end: string): Promise<void> {
  const isTaken = (await files.stat(to)) !== null
  try {
    await files.rename(from, isTaken ? withEnding(to, end) : to)
  } catch (error) {
    if (!isFault(error, 'missing') || (await files.stat(from))) throw error
  }
}

async function readEnd(files: Files, path: string): Promise<End | null> {
  const text = await unlessMissing(readAll(files, path), null)
  return text === null ? null : End.parse(JSON.parse(text))
}

async function freeName(
  files: Files,
  { folder, archive, reject }: Source,
  name: string,
  now: Instant,
): Promise<string> {
  const time = formatInstant(now).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  for (let number = 0; ; number++) {
    const candidate = number === 0 ? name : withEnding(name, number === 1 ? time : `${time}-${number}`)
    const places = [under(archive, candidate), under(reject, candidate), under(reject, `${candidate}.reason.txt`)]
    const there = await Promise.all(places.map((place) => files.stat(under(folder, place))))
    if (there.every((one) => one === null)) return candidate
  }
}

function withEnding(name: string, ending: string): string {
  const [, stem = name, extension = ''] = /^(.+?)(\.[^./]*)?$/.exec(name) ?? []
  return `${stem}.${ending}${extension}`
}

type Settling = ReturnType<typeof createSettling>

interface Seen extends Pick<FileEntry, 'size' | 'modifiedAt'> {
  since: number
}

/** `now`: monotonic, in milliseconds. Clocks of other machines say nothing about a file's age. */
export function createSettling(now: () => number) {
  let seen = new Map<string, Seen>()

  return {
    look(found: readonly { source: Source; entries: readonly FileEntry[] }[]): void {
      const before = seen
      const at = now()
      seen = new Map(
        found.flatMap(({ source, entries }) =>
          entries.map(({ name, size, modifiedAt }): [string, Seen] => {
            const key = keyOf(source, name)
            const known = before.get(key)
            const isSame = known?.size === size && known.modifiedAt === modifiedAt
            return [key, known && isSame ? known : { size, modifiedAt, since: at }]
          }),
        ),
      )
    },
    isSettled(source: Source, { name }: Pick<FileEntry, 'name'>): boolean {
      const known = seen.get(keyOf(source, name))
      return known !== undefined && now() - known.since >= source.settle
    },
  }
}

function keyOf({ resource }: Source, name: string): string {
  return `${resource}/${name}`
}

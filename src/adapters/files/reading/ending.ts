import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import { type Files, isTrouble, readAll } from '../../../folders/transport.ts'
import { HIDDEN, isHidden, makeFolders, namesIn, under } from '../hidden.ts'
import type { Source } from '../read-options.ts'
import { type Claim, endedFolder, readWorkName, workName } from './claims.ts'

/** The work left to do about a file that is done with. */
const End = z.object({
  /** The file's name where it goes. */
  name: z.string(),
  /** The file was taken; else it cannot be read. */
  taken: z.boolean(),
})
type End = z.output<typeof End>

/** How a file ended. */
export interface FileEnd {
  taken: boolean
  /** The content for the reject folder; null: nothing. Of a file that was not taken, it is the reason. */
  reject: Uint8Array | AsyncIterable<Uint8Array> | null
}

/**
 * Ends with a file, so that it is archived or rejected once, and what was refused of it is told once:
 *
 * 1. What is to be done, and what goes into the reject folder, is written beside it.
 * 2. Its folder is moved to the ended ones, in one step, which only one hub can take. From now on it is done with.
 * 3. What is to be done is done, each by a move that cannot be made twice. Whoever comes by goes on with it.
 */
export async function endFile(
  files: Files,
  { source, id, folder, name }: Claim,
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
    // Another hub was quicker, and ends with it.
    if (isTrouble(error, 'missing')) return
    throw error
  }
  await files.sync(endedFolder(source))
  await finish(files, source, to, end)
}

/** Goes on with what a hub that died was about to do. */
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
  // The plan goes last: without it, nobody knows what the rest is.
  for (const name of names.filter((one) => isHidden(one) && !one.startsWith('.end.')))
    await files.remove(under(folder, name))
  for (const name of names.filter((one) => one.startsWith('.end.'))) await files.remove(under(folder, name))
  await files.removeFolder(folder).catch((error: unknown) => {
    if (!isTrouble(error, 'missing')) throw error
  })
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
  const told = names.find((one) => one === `.reject.${end}`)
  if (told || !taken) await makeFolders(files, source.folder, source.reject)
  if (taken) await makeFolders(files, source.folder, source.archive)
  if (told) await moveTo(files, under(folder, told), under(reject, taken ? name : `${name}.reason.txt`), end)
  if (file) await moveTo(files, under(folder, file), under(taken ? archive : reject, name), end)
  for (const to of [...(taken ? [archive] : []), ...(told || !taken ? [reject] : [])]) await files.sync(to)
}

/** A file that has gone was moved by another hub. One that is there was put there by somebody else since, and stays. */
async function moveTo(files: Files, from: string, to: string, end: string): Promise<void> {
  const isTaken = (await files.stat(to)) !== null
  try {
    await files.rename(from, isTaken ? withEnding(to, end) : to)
  } catch (error) {
    if (!isTrouble(error, 'missing') || (await files.stat(from))) throw error
  }
}

async function readEnd(files: Files, path: string): Promise<End | null> {
  try {
    return End.parse(JSON.parse(await readAll(files, path)))
  } catch (error) {
    if (isTrouble(error, 'missing')) return null
    throw error
  }
}

/** The file's own name; with the time, where a file of that name was taken or rejected before. */
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

/** `stock.csv` as `stock.<ending>.csv`. */
function withEnding(name: string, ending: string): string {
  const [, stem = name, extension = ''] = /^(.+?)(\.[^./]*)?$/.exec(name) ?? []
  return `${stem}.${ending}${extension}`
}

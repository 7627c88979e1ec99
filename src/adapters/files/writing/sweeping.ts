import type { Instant } from '../../../domain/values/instant.ts'
import { atOnce } from '../../../folders/several.ts'
import type { Files, Transport } from '../../../folders/transport.ts'
import { KEYS, type ManifestName, NAMES, readManifestName, WORK } from './layout.ts'
import { dayOf } from './manifests.ts'

const DAY = 24 * 60 * 60_000

/** How long a manifest is kept: the hub asks within days. As long, no name is given out again. */
const KEPT = 30 * DAY

/** Content that has no manifest by now never gets one: what wrote it is gone. */
const LEFT_BEHIND = DAY

const AT_ONCE = 16

/** How much is removed before others get their turn. */
const PORTION = 160

/**
 * Removes what is not needed any more, once a day, after a file was written: manifests that are old with the names that they
 * held, and content that a hub left behind when it died. What fails is done another day. A day on which nothing but this was written
 * may be that of a clock which is ahead: how old manifests are is told by the day before it.
 */
export function createSweeper(transport: Transport, now: () => Instant) {
  const stopping = new AbortController()
  let lastAt: Instant | null = null
  let underWay: Promise<void> = Promise.resolve()

  const use = <Result>(work: (files: Files) => Promise<Result>) => transport.use(stopping.signal, work)

  async function remove(paths: readonly string[]): Promise<void> {
    for (let begin = 0; begin < paths.length; begin += PORTION)
      await use((files) => atOnce(AT_ONCE, paths.slice(begin, begin + PORTION), (path) => files.remove(path)))
  }

  async function sweepDay(day: string): Promise<void> {
    const folder = `${KEYS}/${day}`
    const entries = await use((files) => files.list(folder))
    const manifests = entries.flatMap(({ name }) => readManifestName(name) ?? [])
    await remove(manifests.flatMap(({ id, name }) => [`${WORK}/${id}`, `${NAMES}/${name}`]))
    await remove(entries.map(({ name }) => `${folder}/${name}`))
    await use((files) => files.removeFolder(folder))
  }

  async function sweepWork(days: readonly string[]): Promise<void> {
    const { entries, clock } = await use(async (files) => ({
      entries: await files.list(WORK),
      // Written to a moment ago: what the clock of the other machine shows.
      clock: (await files.stat(WORK))?.modifiedAt ?? 0,
    }))
    const old = entries.filter(({ modifiedAt }) => modifiedAt < clock - LEFT_BEHIND)
    if (old.length === 0) return
    const needed = new Set<string>()
    for (const day of days) for (const { id } of await manifestsOf(day)) needed.add(id)
    await remove(old.filter(({ name }) => !needed.has(name)).map(({ name }) => `${WORK}/${name}`))
  }

  async function manifestsOf(day: string): Promise<ManifestName[]> {
    const entries = await use((files) => files.list(`${KEYS}/${day}`))
    return entries.flatMap(({ name }) => readManifestName(name) ?? [])
  }

  async function sweep(): Promise<void> {
    const names = (await use((files) => files.list(KEYS))).map(({ name }) => name)
    const days = names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name)).sort()
    const oldest = dayOf(Math.min(now(), Date.parse(days.at(-2) ?? '') || 0) - KEPT)
    for (const day of days.filter((one) => one < oldest)) await sweepDay(day)
    await sweepWork(days.filter((one) => one >= oldest))
  }

  return {
    /** Does not wait for it. */
    sweepIfDue(): void {
      const at = now()
      if (lastAt !== null && at - lastAt < DAY) return
      lastAt = at
      underWay = sweep().catch(() => {})
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await underWay
    },
  }
}

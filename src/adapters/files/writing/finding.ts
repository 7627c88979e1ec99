import type { Instant } from '../../../domain/values/instant.ts'
import { isTrouble } from '../../../folders/files-error.ts'
import { atOnce } from '../../../folders/several.ts'
import type { Files, Transport } from '../../../folders/transport.ts'
import { KEYS, type ManifestName, readManifestName, SEVERAL, tagOfOne, WORK } from './layout.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { dayOf, type Manifests } from './manifests.ts'
import type { Numbering } from './numbering.ts'
import { isPublished, publish } from './publishing.ts'
import { isWhole } from './whole.ts'

/** The most that a hub's clock and that of another may differ, and then some. */
const DAY = 24 * 60 * 60_000

/** How many manifests are read at once: a far server answers them together. */
const AT_ONCE = 16

/** How many keys of manifests are kept in memory (about 100 bytes each). */
const MOST_KEYS = 200_000

/** A manifest, and where it stands. */
interface Found {
  path: string
  manifest: Manifest
}

/** The manifests of one day. */
interface DayOfManifests {
  ones: Map<string, string[]>
  several: Map<string, Found[]>
}

/** One look at the folders, which all calls with one signal share: what they look for was tried before it began. */
interface Look {
  days?: Promise<string[]>
  manifests: Map<string, Promise<DayOfManifests>>
  /** By content: what it is called in its place; null: it never was. */
  answers: Map<string, string | null>
}

/**
 * Looks for keys in manifests. What it costs: one list of days, and of each day since the delivery was first tried (mostly one
 * or two) one list; of the manifests, the one that is named after the key, and those of several records, each once in the
 * life of a hub. A thousand records of one uncertain file cost one look.
 */
export function createFinder(transport: Transport, tools: { numbering: Numbering; manifests: Manifests }) {
  const looks = new WeakMap<AbortSignal, Look>()
  const known = createKnown()

  async function daysOf(files: Files): Promise<string[]> {
    try {
      return (await files.list(KEYS)).map(({ name }) => name)
    } catch (error) {
      // Nothing was ever written: unless the folder itself is not there, which says nothing.
      if (isTrouble(error, 'missing') && (await files.stat('')) !== null) return []
      throw error
    }
  }

  async function manifestsOf(files: Files, day: string): Promise<DayOfManifests> {
    const folder = `${KEYS}/${day}`
    const names = (await files.list(folder)).flatMap(({ name }) => {
      const read = readManifestName(name)
      return read ? [{ ...read, path: `${folder}/${name}` }] : []
    })
    const ones = Map.groupBy(
      names.filter(({ tag }) => tag !== SEVERAL),
      ({ tag }) => tag,
    )
    const ofSeveral = names.filter(({ tag }) => tag === SEVERAL)
    const read = await atOnce(AT_ONCE, ofSeveral, ({ path }) => known.at(files, path))
    return {
      ones: new Map([...ones].map(([tag, all]) => [tag, all.map(({ path }: ManifestName & { path: string }) => path)])),
      several: byKey(read.flatMap((found) => found ?? [])),
    }
  }

  /** Where the key is written, by day; a manifest that says nothing is as good as none. */
  async function manifestsWith(files: Files, look: Look, key: string, since: Instant | null): Promise<Found[]> {
    look.days ??= daysOf(files)
    const first = since === null ? '' : dayOf(since - DAY)
    const found: Found[] = []
    for (const day of (await look.days).filter((one) => one >= first).sort()) {
      const manifests = look.manifests.get(day) ?? manifestsOf(files, day)
      look.manifests.set(day, manifests)
      const { ones, several } = await manifests
      for (const path of ones.get(tagOfOne(key)) ?? []) {
        const manifest = await readManifest(files, path)
        if (manifest) found.push({ path, manifest })
      }
      found.push(...(several.get(key) ?? []))
    }
    return found
  }

  /** The file has left the folder of work. One that never was whole has no manifest any more: that goes first. */
  async function isInPlace(files: Files, { path, manifest }: Found): Promise<boolean> {
    return (await isPublished(files, manifest)) && (await files.stat(path)) !== null
  }

  /** The name that one content has in its place, once it is there; null: it is not whole, so it never was. */
  async function settled(files: Files, all: readonly Found[]): Promise<string | null> {
    const [last] = all.toReversed()
    if (!last) return null
    const { manifest } = last
    if (await isInPlace(files, last)) return manifest.name
    if (await isWhole(files, manifest))
      return await publish(files, manifest, { manifests: [], published: false }, tools)
    // Another hub may have been quicker.
    if (await isInPlace(files, last)) return manifest.name
    for (const { path } of all) await files.remove(path)
    await files.remove(`${WORK}/${manifest.id}`)
    return null
  }

  async function find(files: Files, look: Look, key: string, since: Instant | null): Promise<string | null> {
    const found = await manifestsWith(files, look, key, since)
    const contents = [...Map.groupBy(found, ({ manifest }) => manifest.id)]
    const answered = contents.map(([id]) => look.answers.get(id)).find((name) => typeof name === 'string')
    if (answered) return answered
    const open = contents.filter(([id]) => !look.answers.has(id))
    // Files that were put into their places count before those that are yet to be.
    const done = await Promise.all(open.map(async ([id]) => await isPublished(files, { id })))
    const inOrder = [...open.filter((_, index) => done[index]), ...open.filter((_, index) => !done[index])]
    for (const [id, all] of inOrder) {
      const name = await settled(files, all)
      look.answers.set(id, name)
      if (name !== null) return name
    }
    return null
  }

  return {
    /** The manifests of each key, as far as they are there; nothing is put into its place. `since`: not written before. */
    async written(keys: readonly string[], since: Instant, files: Files): Promise<Map<string, Manifest[]>> {
      const look: Look = { manifests: new Map(), answers: new Map() }
      const found = new Map<string, Manifest[]>()
      for (const key of keys)
        found.set(
          key,
          (await manifestsWith(files, look, key, since)).map(({ manifest }) => manifest),
        )
      return found
    },

    async find(key: string, since: Instant | null, signal: AbortSignal): Promise<string | null> {
      const look = looks.get(signal) ?? { manifests: new Map(), answers: new Map() }
      looks.set(signal, look)
      try {
        return await transport.use(signal, (files) => find(files, look, key, since))
      } catch (error) {
        looks.delete(signal)
        if (isTrouble(error, 'missing')) tools.manifests.forget()
        throw error
      }
    },
  }
}

function byKey(found: readonly Found[]): Map<string, Found[]> {
  const keys = new Map<string, Found[]>()
  for (const one of found)
    for (const key of one.manifest.keys) {
      const others = keys.get(key)
      if (others) others.push(one)
      else keys.set(key, [one])
    }
  return keys
}

/** Manifests never change: each is read once, as long as they are not too many. */
function createKnown() {
  const manifests = new Map<string, Found>()
  let keys = 0

  return {
    async at(files: Files, path: string): Promise<Found | null> {
      const there = manifests.get(path)
      if (there) return there
      const manifest = await readManifest(files, path)
      if (!manifest) return null
      if (keys + manifest.keys.length > MOST_KEYS) {
        manifests.clear()
        keys = 0
      }
      manifests.set(path, { path, manifest })
      keys += manifest.keys.length
      return { path, manifest }
    },
  }
}

import { randomUUID } from 'node:crypto'
import type { Instant } from '../../../domain/values/instant.ts'
import { FilesError, isTrouble } from '../../../folders/files-error.ts'
import type { Files, Transport } from '../../../folders/transport.ts'
import { createFinder } from './finding.ts'
import { NAMES, WORK } from './layout.ts'
import { type Content, type Manifest, manifestOf } from './manifest.ts'
import { createManifests } from './manifests.ts'
import { createNumbering } from './numbering.ts'
import { publish, type Trace } from './publishing.ts'
import { createSweeper } from './sweeping.ts'

/** The manifest may be there, so the file may come to be there: only a look can tell. */
export class UncertainError extends Error {
  override name = 'UncertainError'
}

/**
 * Files that others take away, each written exactly once:
 *
 * 1. The content is written beside, in the hidden folder, and a name is taken for it.
 * 2. A manifest of it is written. From now on it counts: whoever looks for one of its keys puts it into its place.
 * 3. It is moved into its place, in one step. That it is not beside any more says that this was done.
 *
 * What ends before 2 was never there, and is written anew. What ends after it is found.
 */
export interface Outbox extends AsyncDisposable {
  /**
   * Writes a file, and gives its name. A FilesError says that it is not there and will not be; an UncertainError that it may
   * come to be there.
   */
  put(content: Content, signal: AbortSignal): Promise<string>
  /**
   * The name of the file that holds this key, which is put into its place if it was not; null: there is none, and never was.
   * `since`: not written before (null: nobody knows). Calls with the same signal share one look at the folders.
   */
  find(key: string, since: Instant | null, signal: AbortSignal): Promise<string | null>
  /** The files that each key was written into, as far as that is remembered. */
  written(keys: readonly string[], since: Instant, files: Files): Promise<Map<string, Manifest[]>>
}

export function createOutbox(transport: Transport, now: () => Instant): Outbox {
  const tools = { numbering: createNumbering(), manifests: createManifests(now) }
  const finder = createFinder(transport, tools)
  const sweeper = createSweeper(transport, now)

  async function write(files: Files, content: Content, trace: Trace): Promise<string> {
    await tools.manifests.prepare(files)
    const id = randomUUID()
    const left: string[] = []
    try {
      await files.create(`${WORK}/${id}`, content.bytes)
      // A manifest must not outlive its content in a power cut.
      await files.sync(WORK)
      const name = await tools.numbering.take(files, content.base, content.extension)
      left.push(`${NAMES}/${name}`)
      const manifest = manifestOf(content, id, name)
      await tools.manifests.write(files, manifest, (path) => trace.manifests.push(path))
      return await publish(files, manifest, trace, tools)
    } catch (error) {
      const mayHaveHappened = !(error instanceof FilesError) || isTrouble(error, 'lost', 'aborted')
      if (!mayHaveHappened && !trace.published) await undo(files, trace, `${WORK}/${id}`, left)
      throw error
    }
  }

  return {
    async put(content, signal) {
      const trace: Trace = { manifests: [], published: false }
      try {
        const name = await transport.use(signal, (files) => write(files, content, trace))
        sweeper.sweepIfDue()
        return name
      } catch (error) {
        if (isTrouble(error, 'missing')) tools.manifests.forget()
        if (trace.manifests.length === 0) throw error
        throw new UncertainError(error instanceof FilesError ? error.message : 'failed.', { cause: error })
      }
    },
    find: finder.find,
    written: finder.written,
    async [Symbol.asyncDispose]() {
      await sweeper[Symbol.asyncDispose]()
    },
  }
}

/** As if it had never begun. The manifest goes first: content without one counts for nothing. */
async function undo(files: Files, trace: Trace, work: string, left: readonly string[]): Promise<void> {
  try {
    // A disk that fails may have moved it all the same.
    if (trace.manifests.length > 0 && (await files.stat(work)) === null) return
    for (const path of trace.manifests) await files.remove(path)
    trace.manifests = []
    for (const path of [work, ...left]) await files.remove(path)
  } catch {
    // A manifest that stays leaves it uncertain; anything else is swept up some day.
  }
}

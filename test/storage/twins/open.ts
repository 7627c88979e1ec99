import { join } from 'node:path'
import { writeEmptyStore } from '../../empty-store.ts'
import { createPlaces } from '../postgres/under-test.ts'
import { openCopy, temporaryFolder } from '../sqlite/file.ts'
import { type Play, playTwins } from './play.ts'

/** Plays with both stores, each empty. `hubs`: how many work on the server. */
export async function openTwins(hubs = 1) {
  const folder = temporaryFolder()
  const places = createPlaces(undefined, hubs)
  const empty = join(folder.path, 'empty.db')
  await writeEmptyStore(empty)
  return {
    async play(what: Play, seed: number, acts: number) {
      await using embedded = await openCopy(empty, {})
      await using server = await places.open({})
      await playTwins(what, [embedded, server], seed, acts)
    },
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]()
      await places[Symbol.asyncDispose]()
    },
  }
}

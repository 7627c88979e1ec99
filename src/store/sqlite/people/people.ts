import type { createOpening } from '../../opening.ts'
import type { createKeeping } from '../../payloads/keeping.ts'
import { createRewriting } from '../../people/rewriting.ts'
import { hashedKey } from '../../search-key.ts'
import type { Store } from '../../store.ts'
import type { createPipe } from '../lanes/pipe.ts'
import type { createReader } from '../reads/reader.ts'
import type { createScrubbing } from './scrubbing.ts'

interface Means {
  pipe: ReturnType<typeof createPipe>
  reader: Pick<ReturnType<typeof createReader>, 'personalPage' | 'foundBy'>
  opening: Pick<ReturnType<typeof createOpening>, 'whenOpen' | 'whileOpen'>
  keeping: Pick<ReturnType<typeof createKeeping>, 'rewritePayloads'>
  scrubbing: ReturnType<typeof createScrubbing>
  /** Has what waits read anew, and gives a count back: what is in memory would go out as it was. */
  afresh(count: number): number
}

/** The verbs by which a person is found and forgotten. */
export function createPeople({ pipe, reader, opening, keeping, scrubbing, afresh }: Means) {
  const { whenOpen, whileOpen } = opening
  const rewrite = createRewriting(keeping.rewritePayloads, (changes) => pipe.call('rewritePersonal', [changes]))

  return {
    personalPage: whileOpen(reader.personalPage),
    async forgetEvents(events) {
      whenOpen()
      await pipe.call('forgetEvents', [events])
    },
    async unindexEvents(events, keys) {
      whenOpen()
      const secret = await pipe.call('searchSecret', [])
      await pipe.call('unindexEvents', [events, keys.map((key) => hashedKey(secret, key))])
    },
    rewritePersonal: whileOpen(async (changes) => afresh(await rewrite(changes))),
    async searchRest(texts, places) {
      whenOpen()
      await pipe.drained()
      return await scrubbing.searchRest(texts, places)
    },
    async scrub(texts, places) {
      whenOpen()
      await pipe.drained()
      return await scrubbing.scrub(texts, places)
    },
    scrubSecrets: whileOpen((changes, ...secrets) => scrubbing.scrubSecrets(() => rewrite(changes), ...secrets)),
    purgeDue: whileOpen(scrubbing.purgeDue),
    async hashedKeys(keys) {
      whenOpen()
      const secret = await pipe.call('searchSecret', [])
      return keys.map((key) => hashedKey(secret, key))
    },
    async findHashed(keys, limit) {
      whenOpen()
      return (await reader.foundBy([...keys], limit)).map(({ event }) => event)
    },
  } satisfies Partial<Store>
}

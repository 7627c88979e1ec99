import type { Instant } from '../../domain/values/instant.ts'
import type { KeptApiKey } from '../kept.ts'
import type { Pipe } from './lanes/pipe.ts'

/** A use sooner than this after the last one that was written is not written (milliseconds). */
const USES_APART = 60_000

/** The keys of own systems in memory: they are few, and every submission asks for one. Changed after the disk is. */
export function createKnownApiKeys(pipe: Pipe) {
  const known = new Map<string, KeptApiKey>()

  return {
    async load(): Promise<void> {
      for (const key of await pipe.call('apiKeys', [])) known.set(key.id, key)
    },

    all: () => [...known.values()].map(({ secretHash: _hash, ...key }) => key),

    find: (id: string): KeptApiKey | null => known.get(id) ?? null,

    async create(key: KeptApiKey): Promise<void> {
      await pipe.call('createApiKey', [key], () => known.set(key.id, key))
    },

    async used(id: string, at: Instant): Promise<void> {
      const key = known.get(id)
      if (!key || (key.lastUsedAt !== null && at - key.lastUsedAt < USES_APART)) return
      // Before it is written, so that uses at the same time do not write it again.
      known.set(id, { ...key, lastUsedAt: at })
      await pipe.call('apiKeyUsed', [id, at])
    },

    async revoke(id: string, by: string, at: Instant) {
      const key = known.get(id)
      if (key && key.revokedAt === null)
        await pipe.call('revokeApiKey', [id, by, at], () => {
          // A second request for it may have been faster; and a use meanwhile stays.
          const now = known.get(id)
          if (now && now.revokedAt === null) known.set(id, { ...now, revokedAt: at })
        })
      const left = known.get(id)
      if (!left) return null
      const { secretHash: _hash, ...shown } = left
      return shown
    },
  }
}

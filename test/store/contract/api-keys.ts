import { expect } from 'vitest'
import type { KeptApiKey } from '../../../src/store/rows.ts'
import { MINUTE, SECOND } from '../acting.ts'
import type { Check } from '../under-test.ts'

/** What is kept of the keys of own systems. */
export function apiKeys(check: Check): void {
  check(
    'When keys are made, then they are listed without hashes, and found with them, through a restart',
    async (the) => {
      const [first, second] = [keyOf('a', 1), keyOf('b', 2)]
      await the.store.createApiKey(first)
      await the.store.createApiKey(second)
      for (const open of [() => the.store, () => the.reopen()]) {
        const store = await open()
        const { secretHash: _first, ...shown } = first
        const { secretHash: _second, ...other } = second
        expect(await store.apiKeys()).toEqual([shown, other])
        expect(await store.apiKey(first.id)).toEqual(first)
        expect(await store.apiKey('none')).toBeNull()
      }
    },
  )

  check('When an id is taken, then the new key is refused, and the old one stays', async ({ store }) => {
    await store.createApiKey(keyOf('a', 1))
    await expect(store.createApiKey({ ...keyOf('a', 2), system: 'other' })).rejects.toThrow()
    expect(await store.apiKey('a')).toEqual(keyOf('a', 1))
  })

  check('When a key is used often, then its use is kept once a minute', async (the) => {
    await the.store.createApiKey(keyOf('a', 1))
    const at = the.clock.now()
    await the.store.apiKeyUsed('a', at)
    await the.store.apiKeyUsed('a', at + MINUTE - SECOND)
    expect(await (await the.reopen()).apiKeys()).toMatchObject([{ lastUsedAt: at }])
    await the.store.apiKeyUsed('a', at + MINUTE)
    expect(await (await the.reopen()).apiKeys()).toMatchObject([{ lastUsedAt: at + MINUTE }])
  })

  check('When a key is revoked, then it stays so, from the first time on, and others live', async (the) => {
    await the.store.createApiKey(keyOf('a', 1))
    await the.store.createApiKey(keyOf('b', 2))
    expect(await the.store.revokeApiKey('a', 'Kari', 5)).toMatchObject({ id: 'a', revokedAt: 5 })
    expect(await the.store.revokeApiKey('a', 'Ola', 9)).toMatchObject({ revokedAt: 5 })
    expect(await the.store.revokeApiKey('none', 'Kari', 9)).toBeNull()
    expect(await (await the.reopen()).apiKeys()).toMatchObject([{ revokedAt: 5 }, { revokedAt: null }])
  })
}

function keyOf(id: string, createdAt: number): KeptApiKey {
  const scopes: KeptApiKey['scopes'] = ['products', 'orders:any', 'read:*', 'read:stock']
  const times = { createdAt, lastUsedAt: null, revokedAt: null }
  return {
    id,
    system: 'erp',
    scopes,
    secretHash: '00'.repeat(32),
    createdBy: 'Kari',
    ...times,
  }
}

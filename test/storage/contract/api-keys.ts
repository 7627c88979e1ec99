import { expect } from 'vitest'
import type { StoredApiKey } from '../../../src/storage/rows.ts'
import { MINUTE, SECOND } from '../acting.ts'
import type { StoreTest } from '../under-test.ts'

/** What is kept of the keys of own systems. */
export function apiKeys(test: StoreTest): void {
  test('When keys are made, then they are listed without hashes, and found with them, through a restart', async (the) => {
    const [first, second] = [keyOf('a', 1), keyOf('b', 2)]
    await the.storage.createApiKey(first)
    await the.storage.createApiKey(second)
    for (const open of [() => the.storage, () => the.reopen()]) {
      const storage = await open()
      const { secretHash: _first, ...shown } = first
      const { secretHash: _second, ...other } = second
      expect(await storage.apiKeys()).toEqual([shown, other])
      expect(await storage.apiKey(first.id)).toEqual(first)
      expect(await storage.apiKey('none')).toBeNull()
    }
  })

  test('When an id is taken, then the new key is refused, and the old one stays', async ({ storage }) => {
    await storage.createApiKey(keyOf('a', 1))
    await expect(storage.createApiKey({ ...keyOf('a', 2), system: 'other' })).rejects.toThrow()
    expect(await storage.apiKey('a')).toEqual(keyOf('a', 1))
  })

  test('When a key is used often, then its use is kept once a minute', async (the) => {
    await the.storage.createApiKey(keyOf('a', 1))
    const at = the.clock.now()
    await the.storage.apiKeyUsed('a', at)
    await the.storage.apiKeyUsed('a', at + MINUTE - SECOND)
    expect(await (await the.reopen()).apiKeys()).toMatchObject([{ lastUsedAt: at }])
    await the.storage.apiKeyUsed('a', at + MINUTE)
    expect(await (await the.reopen()).apiKeys()).toMatchObject([{ lastUsedAt: at + MINUTE }])
  })

  test('When a key is revoked, then it stays so, from the first time on, and others live', async (the) => {
    await the.storage.createApiKey(keyOf('a', 1))
    await the.storage.createApiKey(keyOf('b', 2))
    expect(await the.storage.revokeApiKey('a', 'Kari', 5)).toMatchObject({ id: 'a', revokedAt: 5 })
    expect(await the.storage.revokeApiKey('a', 'Ola', 9)).toMatchObject({ revokedAt: 5 })
    expect(await the.storage.revokeApiKey('none', 'Kari', 9)).toBeNull()
    expect(await (await the.reopen()).apiKeys()).toMatchObject([{ revokedAt: 5 }, { revokedAt: null }])
  })
}

function keyOf(id: string, createdAt: number): StoredApiKey {
  const scopes: StoredApiKey['scopes'] = ['products', 'orders:any', 'read:*', 'read:stock']
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

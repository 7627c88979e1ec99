import { expect, test } from 'vitest'
import { hashSecret, hasScope, readKey, SCOPES, writeKey } from '../../src/domain/scope.ts'

const SECRET = 'A-_z'.repeat(10).concat('abc')

test('When a key is asked what it may do, then it is what it was made for, until it is revoked', () => {
  expect(hasScope({ scopes: ['prices'], revokedAt: null }, 'prices')).toBe(true)
  expect(hasScope({ scopes: ['prices'], revokedAt: null }, 'cost-prices')).toBe(false)
  expect(hasScope({ scopes: ['prices'], revokedAt: 1 }, 'prices')).toBe(false)
})

test('When a key may read every set, then it may read each, and nothing else; one set is that one alone', () => {
  for (const scope of SCOPES) {
    expect([scope, hasScope({ scopes: ['read:*'], revokedAt: null }, scope)]).toEqual([
      scope,
      scope.startsWith('read:'),
    ])
    expect([scope, hasScope({ scopes: ['read:sales'], revokedAt: null }, scope)]).toEqual([
      scope,
      scope === 'read:sales',
    ])
  }
  expect(hasScope({ scopes: ['orders:any'], revokedAt: null }, 'orders')).toBe(false)
  expect(hasScope({ scopes: ['orders'], revokedAt: null }, 'orders:any')).toBe(false)
})

test('When a key is written, then it is read back, also with the characters that stand between its parts', () => {
  const key = { id: '0123456789abcdef', secret: SECRET }
  expect(readKey(writeKey(key.id, key.secret))).toEqual(key)
  for (const wrong of ['', 'tb_', `tb_${key.id}_`, `tb_${key.id}_${SECRET}x`, `xtb_${key.id}_${SECRET}`, SECRET])
    expect(readKey(wrong)).toBeNull()
})

test('When a secret is hashed, then it is SHA-256 in hex', () => {
  expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
